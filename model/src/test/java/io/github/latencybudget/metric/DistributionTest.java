package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.trace.Traces;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class DistributionTest {

    // Evaluation case 1.
    @Test
    void percentilesAreValuesAtTheNearestRank() {
        Distribution hundred = ttfts(LongStream.rangeClosed(1, 100).toArray());

        assertThat(hundred.percentile(Percentile.P50)).hasValue(50);
        assertThat(hundred.percentile(Percentile.P95)).hasValue(95);
        assertThat(hundred.percentile(Percentile.P99)).hasValue(99);
        assertThat(hundred.percentile(Percentile.of(7))).hasValue(7);
        assertThat(ttfts(LongStream.range(0, 20).toArray()).percentile(Percentile.P95))
                .hasValue(18);
        assertThat(ttfts(30, 10, 20).percentile(Percentile.P99)).hasValue(30);
    }

    // Evaluation case 1.
    @Test
    void everyPercentileOfOneValueIsThatValue() {
        for (double percent : new double[] {0.001, 7, 50, 99.999, 100}) {
            assertThat(ttfts(42).percentile(Percentile.of(percent))).hasValue(42);
        }
    }

    // Evaluation cases 8 and 10: nothing is absent, not 0 and not NaN.
    @Test
    void nothingHasNoStatistics() {
        Distribution nothing = Distribution.of(Metric.TTFT, List.of());

        assertThat(nothing.size()).isZero();
        assertThat(nothing.requests()).isZero();
        assertThat(nothing.mostPerRequest()).isZero();
        assertThat(nothing.percentile(Percentile.P50)).isEmpty();
        assertThat(nothing.max()).isEmpty();
        assertThat(nothing.mean()).isEmpty();
        assertThat(nothing.standardDeviation()).isEmpty();
        assertThat(ttfts(5).standardDeviation()).isEmpty();
    }

    // Evaluation case 6: why no verdict rests on a histogram.
    @Test
    void aHistogramRoundsUpWhatADistributionKeeps() {
        long ttft = 449_900_000;
        Histogram histogram = new Histogram(3);
        histogram.recordValue(ttft);

        assertThat(histogram.getValueAtPercentile(95)).isEqualTo(450_101_247);
        assertThat(ttfts(ttft).percentile(Percentile.P95)).hasValue(ttft);
    }

    @Test
    void standardDeviationIsThatOfASample() {
        assertThat(ttfts(2, 4, 4, 4, 5, 5, 7, 9).standardDeviation().getAsDouble())
                .isCloseTo(Math.sqrt(32.0 / 7), within(1e-12));
    }

    @Test
    void countsAndPercentilesAgreeWithASortedList() {
        Random random = new Random(2);
        for (int round = 0; round < 2_000; round++) {
            long[] values = random.longs(1 + random.nextInt(40), 0, 20).toArray();
            Distribution distribution = ttfts(values);
            long[] sorted = values.clone();
            Arrays.sort(sorted);
            long limit = random.nextInt(22) - 1;
            Percentile percentile = new Percentile(1 + random.nextInt(100_000));

            assertThat(distribution.countAbove(limit)).isEqualTo((int)
                    LongStream.of(values).filter(v -> v > limit).count());
            assertThat(distribution.countBelow(limit)).isEqualTo((int)
                    LongStream.of(values).filter(v -> v < limit).count());
            double observed = distribution.percentile(percentile).getAsDouble();
            // The smallest value that at least so large a share of all values is at most.
            double expected = LongStream.of(sorted)
                    .filter(v -> LongStream.of(values).filter(w -> w <= v).count() * 100_000L
                            >= (long) percentile.thousandths() * values.length)
                    .findFirst()
                    .getAsLong();
            assertThat(observed).isEqualTo(expected);
        }
    }

    @Test
    void requestsAndTheirMostValuesAreThoseThatGaveAny() {
        Distribution gaps = Distribution.of(
                Metric.ITL,
                Traces.run(2, 1).add(3, 1, 5, 5).add(1, 1, 5).measurement().traces());

        assertThat(gaps.size()).isEqualTo(7);
        assertThat(gaps.requests()).isEqualTo(4);
        assertThat(gaps.mostPerRequest()).isEqualTo(2);
    }

    @Test
    void nothingIsCountedBeyondNaN() {
        assertThatIllegalArgumentException().isThrownBy(() -> ttfts(1).countAbove(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> ttfts(1).countBelow(Double.NaN));
    }

    private static Distribution ttfts(long... nanos) {
        Traces run = Traces.run();
        for (long ttft : nanos) {
            run.add(1, ttft);
        }
        return Distribution.of(Metric.TTFT, run.measurement().traces());
    }
}
