package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SerialCorrelationTest {

    @Test
    void itIsTheProductOfNeighbouringRanks() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            int n = random.nextInt(2, 60);
            // Of few different values, so that many are equal.
            double[] levels =
                    random.doubles(n, 0, random.nextInt(1, 30)).map(Math::floor).toArray();

            assertThat(SerialCorrelation.of(levels, n, 1).coefficient()).isCloseTo(brute(levels), within(1e-9));
        }
    }

    @Test
    void onlyTheFirstSamplesAreLookedAt() {
        double[] levels = {3, 1, 2, 5, 4, 9, 9, 9};

        assertThat(SerialCorrelation.of(levels, 5, 1)).isEqualTo(SerialCorrelation.of(Arrays.copyOf(levels, 5), 5, 1));
    }

    /** The second of each batch waits for the first: that is no resemblance of successive moments. */
    @Test
    void thePlaceInABatchIsNoCorrelation() {
        double[] byTurns = IntStream.range(0, 100).mapToDouble(i -> i % 4).toArray();
        double[] rising = IntStream.range(0, 100).mapToDouble(i -> i).toArray();

        assertThat(SerialCorrelation.of(byTurns, 100, 4).isFound()).isFalse();
        assertThat(SerialCorrelation.of(rising, 100, 4).isFound()).isTrue();
        assertThat(SerialCorrelation.of(rising, 47, 4).samples()).isEqualTo(11);
    }

    @Test
    void equalSamplesSayNothing() {
        assertThat(SerialCorrelation.of(new double[100], 100, 1).isFound()).isFalse();
    }

    @Test
    void ofFewSamplesNoneIsFound() {
        double[] rising = IntStream.range(0, 12).asDoubleStream().toArray();

        assertThat(SerialCorrelation.of(rising, 11, 1).isFound()).isFalse();
        assertThat(SerialCorrelation.of(rising, 12, 1).isFound()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0.3, 2", "0.33, 2", "0.34, 3", "0.5, 3", "0.7, 6", "1.2, 99", "-0.5, 1"})
    void theMoreTheyResembleOneAnotherTheMoreCountAsOne(double coefficient, int inOne) {
        assertThat(new SerialCorrelation(coefficient, 1000).samplesInOne()).isEqualTo(inOne);
    }

    /** Of independent series one in a hundred is taken to be correlated, whatever the distribution; of correlated ones most. */
    @ParameterizedTest
    @CsvSource({"0, 64, 0, 0.016", "0, 200, 0, 0.016", "0.3, 64, 0.4, 0.7", "0.3, 200, 0.9, 1", "0.5, 64, 0.9, 1"})
    void itIsFoundAsOftenAsItIsMeantToBe(double rho, int samples, double least, double most) {
        Random random = new Random(2);
        int found = 0;
        for (int i = 0; i < 4000; i++) {
            double[] levels = new double[samples];
            double z = random.nextGaussian();
            for (int j = 0; j < samples; j++) {
                levels[j] = Math.exp(3 * z);
                z = rho * z + Math.sqrt(1 - rho * rho) * random.nextGaussian();
            }
            found += SerialCorrelation.of(levels, samples, 1).isFound() ? 1 : 0;
        }

        assertThat(found / 4000.0).isBetween(least, most);
    }

    private static double brute(double[] levels) {
        int n = levels.length;
        double[] ranks = Arrays.stream(levels)
                .map(l -> 0.5
                        + Arrays.stream(levels).filter(o -> o < l).count()
                        + Arrays.stream(levels).filter(o -> o == l).count() / 2.0)
                .toArray();
        double mean = Arrays.stream(ranks).average().orElseThrow();
        double products = IntStream.range(1, n)
                .mapToDouble(i -> (ranks[i - 1] - mean) * (ranks[i] - mean))
                .sum();
        double squares = Arrays.stream(ranks).map(r -> (r - mean) * (r - mean)).sum();
        return squares == 0 ? 0 : products / squares + 1.0 / n;
    }
}
