package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriftTest {

    private static final double LEVEL = 0.01;

    @Test
    void fewerThanTwentyFourSayNothing() {
        assertThat(Drift.of(new double[23])).isEmpty();
        assertThat(Drift.of(new double[24])).isPresent();
    }

    @Test
    void theMiddleThirdDoesNotCount() {
        Drift drift = drift(26, i -> i < 8 ? 10 : i < 18 ? 1000 : 11);

        assertThat(drift.requestsPerThird()).isEqualTo(8);
        assertThat(drift.firstMedian()).isEqualTo(10);
        assertThat(drift.lastMedian()).isEqualTo(11);
        assertThat(drift.shift()).isEqualTo(1);
        assertThat(drift.isMoreThan(0.1)).isFalse();
        assertThat(drift.isMoreThan(0.0999)).isTrue();
    }

    @Test
    void whatStaysTheSameHasNotDrifted() {
        assertThat(drift(60, i -> 5).pValue()).isEqualTo(1);
    }

    /** Eight of each without a tie: (32 - 0.5) / sqrt(8 * 8 * 17 / 12), both tails of the normal distribution. */
    @Test
    void theProbabilityIsThatOfTheRankSumTest() {
        double[] first = {3, 1, 8, 2, 6, 7, 4, 5};
        double[] last = {11, 16, 10, 9, 15, 12, 13, 14};
        Drift drift = drift(24, i -> i < 8 ? first[i] : i < 16 ? 0 : last[i - 16]);

        assertThat(drift.pValue()).isCloseTo(9.4e-4, Offset.offset(0.1e-4));
    }

    @Test
    void aSteadyRiseIsClear() {
        assertThat(drift(60, i -> 100 + i).pValue()).isLessThan(1e-6);
        assertThat(drift(60, i -> 100 - i).pValue()).isLessThan(1e-6);
    }

    @Test
    void anOutlierIsNoDrift() {
        assertThat(drift(60, i -> i == 59 ? 1e6 : 100 + i % 5).pValue()).isGreaterThan(LEVEL);
    }

    /** Successive requests that resemble one another come in runs, which look like a drift to whoever takes them one by one. */
    @ParameterizedTest
    @CsvSource({
        "0, 64, 0.012",
        "0.3, 64, 0.022",
        "0.6, 64, 0.04",
        "0.9, 64, 0.18",
        "0, 600, 0.017",
        "0.3, 600, 0.017",
        "0.6, 600, 0.02",
        "0.9, 600, 0.035"
    })
    void aSteadyRunIsSeldomTakenForADrift(double correlation, int requests, double most) {
        Random random = new Random(20_260_101);
        int gates = 2_000;
        int found = 0;
        for (int gate = 0; gate < gates; gate++) {
            if (Drift.of(steady(random, correlation, requests)).orElseThrow().pValue() <= LEVEL) {
                found++;
            }
        }
        assertThat(found / (double) gates).isLessThanOrEqualTo(most);
    }

    private static double[] steady(Random random, double correlation, int requests) {
        double[] values = new double[requests];
        double level = random.nextGaussian();
        for (int i = 0; i < requests; i++) {
            values[i] = Math.exp(level);
            level = correlation * level + Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
        }
        return values;
    }

    private static Drift drift(int requests, IntToDoubleFunction value) {
        return Drift.of(IntStream.range(0, requests).mapToDouble(value).toArray())
                .orElseThrow();
    }
}
