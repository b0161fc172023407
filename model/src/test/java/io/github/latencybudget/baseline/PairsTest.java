package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

final class PairsTest {

    /** The oracle makes the list of all pairs and sorts it. */
    @Test
    void ranksAreThoseOfTheListOfAllPairs() {
        Random random = new Random(5);
        for (int round = 0; round < 500; round++) {
            double[] baseline = values(random, 1 + random.nextInt(12));
            double[] run = values(random, 1 + random.nextInt(12));
            double[] all = DoubleStream.of(run)
                    .flatMap(y -> DoubleStream.of(baseline).map(x -> y / x))
                    .sorted()
                    .toArray();
            Pairs pairs = new Pairs(baseline, run);

            assertThat(pairs.size()).isEqualTo(all.length);
            for (int rank = 1; rank <= all.length; rank++) {
                assertThat(pairs.atRank(rank)).isEqualTo(all[rank - 1]);
            }
            int half = all.length / 2;
            assertThat(pairs.median())
                    .isCloseTo(all.length % 2 == 1 ? all[half] : Math.sqrt(all[half - 1] * all[half]), within(1e-12));
        }
    }

    @Test
    void theMedianIsTheFactorBetweenTheTwoSides() {
        double[] baseline = values(new Random(6), 200);

        assertThat(new Pairs(
                                baseline,
                                Arrays.stream(baseline).map(v -> 1.25 * v).toArray())
                        .median())
                .isCloseTo(1.25, within(1e-12));
    }

    /** A list of all pairs would take 800 MB. */
    @Test
    void aHundredMillionPairsTakeNoMemoryOfTheirOwn() {
        double[] baseline = values(new Random(7), 10_000);
        double[] run = values(new Random(8), 10_000);

        assertThat(new Pairs(baseline, run).size()).isEqualTo(100_000_000L);
        assertThat(new Pairs(baseline, run).median()).isCloseTo(1, within(0.05));
    }

    /** With ties, and over several orders of magnitude. */
    private static double[] values(Random random, int n) {
        return random.doubles(n, 0, 3).map(v -> Math.ceil(Math.pow(10, v))).toArray();
    }
}
