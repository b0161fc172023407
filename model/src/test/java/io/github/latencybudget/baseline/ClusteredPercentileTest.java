package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Traces;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClusteredPercentileTest {

    /** The oracle sums exact binomial probabilities; values are 1 to n, so that each is its own rank. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20, 58, 59, 60, 93, 100, 200, 333})
    void ofOneValuePerRequestTheBoundsAreThoseOfTheBinomialDistribution(int n) {
        for (Percentile percentile : new Percentile[] {Percentile.P50, Percentile.P95}) {
            for (double alpha : new double[] {0.01, 0.05, 0.2}) {
                ClusteredPercentile bounds = ClusteredPercentile.of(zigzag(n), percentile, alpha);

                assertThat(bounds.value()).isEqualTo(percentile.rank(n));
                int upper = leastUpper(n, percentile, alpha);
                int lower = mostLower(n, percentile, alpha);
                assertThat(bounds.upper().orElse(n + 1)).as("upper of %s", n).isEqualTo(upper);
                assertThat(bounds.lower().orElse(0)).as("lower of %s", n).isEqualTo(lower);
            }
        }
    }

    /** The least rank that so many values or more lie under the percentile by chance at most so often. */
    private static int leastUpper(int n, Percentile percentile, double alpha) {
        int rank = n + 1;
        BigDecimal atLeast = BigDecimal.ZERO;
        while (rank > 1) {
            atLeast = atLeast.add(probability(n, rank - 1, percentile));
            if (atLeast.doubleValue() > alpha) {
                return rank;
            }
            rank--;
        }
        return rank;
    }

    /** The largest rank that fewer values lie under the percentile than which by chance at most so often. */
    private static int mostLower(int n, Percentile percentile, double alpha) {
        int rank = 0;
        BigDecimal fewer = BigDecimal.ZERO;
        while (rank < n) {
            fewer = fewer.add(probability(n, rank, percentile));
            if (fewer.doubleValue() > alpha) {
                return rank;
            }
            rank++;
        }
        return rank;
    }

    private static BigDecimal probability(int n, int below, Percentile percentile) {
        BigInteger ways = BigInteger.ONE;
        for (int i = 0; i < below; i++) {
            ways = ways.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1));
        }
        BigDecimal share = BigDecimal.valueOf(percentile.thousandths(), 5);
        return new BigDecimal(ways)
                .multiply(share.pow(below))
                .multiply(BigDecimal.ONE.subtract(share).pow(n - below));
    }

    /** All gaps of a request alike: they say no more than one would. */
    @Test
    void gapsThatAreAlikeAreWorthOne() {
        Traces alike = Traces.run();
        Traces single = Traces.run();
        for (int i = 0; i < 200; i++) {
            long gap = place(i, 200);
            alike.add(1, 1, gap, gap, gap, gap);
            single.add(1, gap);
        }

        assertThat(ClusteredPercentile.of(sample(Metric.ITL, alike), Percentile.P95, 0.05))
                .isEqualTo(ClusteredPercentile.of(sample(Metric.TTFT, single), Percentile.P95, 0.05));
    }

    /** Each request with the same share of slow gaps: all of them count. */
    @Test
    void gapsOfRequestsThatAreAlikeAreAsManyValues() {
        Traces run = Traces.run();
        long[] gaps = new long[20];
        for (int i = 0; i < 50; i++) {
            for (int g = 0; g < 20; g++) {
                gaps[g] = 1_000L * (g + 1) + place(i, 50);
            }
            run.add(1, 1, gaps);
        }

        ClusteredPercentile bounds = ClusteredPercentile.of(sample(Metric.ITL, run), Percentile.P95, 0.05);

        // Of 1,000 independent values ranks 938 and 962; of 50, ranks 45 and none.
        assertThat(bounds.value()).isEqualTo(19_050);
        assertThat(bounds.lower()).hasValue(19_038);
        assertThat(bounds.upper()).hasValue(20_012);
    }

    private static RequestSample sample(Metric metric, Traces run) {
        return new RequestSample(metric, run.measurement().traces(), 1);
    }

    /** Successive ones are far from one another, so that no resemblance counts. */
    private static RequestSample zigzag(int n) {
        Traces run = Traces.run();
        for (int i = 0; i < n; i++) {
            run.add(1, place(i, n));
        }
        return sample(Metric.TTFT, run);
    }

    private static long place(int i, int n) {
        return i % 2 == 0 ? 1 + i / 2 : n - i / 2;
    }
}
