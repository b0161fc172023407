package io.github.latencybudget.metric;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Traces;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class StreamMetricsTest {

    // Evaluation case 3.
    @Test
    void theMetricsOfFiveTokens() {
        TokenTrace trace = trace(0, 500 * MS, 520 * MS, 540 * MS, 560 * MS, 580 * MS);

        assertThat(StreamMetrics.ttftNanos(trace)).hasValue(500 * MS);
        assertThat(StreamMetrics.e2eNanos(trace)).hasValue(580 * MS);
        assertThat(StreamMetrics.gapNanos(trace)).containsExactly(times(4, 20 * MS));
        assertThat(StreamMetrics.tpotNanos(trace)).hasValue(20 * MS);
        assertThat(StreamMetrics.meanItlOverNNanos(trace)).hasValue(16 * MS);
        assertThat(StreamMetrics.requestTgs(trace).getAsDouble()).isCloseTo(8.62, within(0.005));
        assertThat(StreamMetrics.decodeTgs(trace)).hasValue(50);
    }

    // Evaluation case 4.
    @Test
    void theMeanOverRequestsAndTheMeanOverGapsAreDifferentNumbers() {
        List<TokenTrace> traces = Traces.run(1, MS, 100 * MS)
                .add(1, MS, times(100, 10 * MS))
                .measurement()
                .traces();

        assertThat(Distribution.of(Metric.TPOT, traces).mean()).hasValue(55 * MS);
        assertThat(Distribution.of(Metric.ITL, traces).mean().getAsDouble()).isCloseTo(10.89 * MS, within(0.005 * MS));
    }

    // Evaluation case 5.
    @Test
    void tpotCountsTheStepsAfterTheFirstToken() {
        assertThat(StreamMetrics.tpotNanos(trace(
                        0, 100 * MS, 110 * MS, 120 * MS, 130 * MS, 140 * MS, 150 * MS, 160 * MS, 170 * MS, 180 * MS,
                        190 * MS, 200 * MS)))
                .hasValue(10 * MS);
    }

    // Evaluation case 7, as far as a trace goes: what came is counted, not what was asked for.
    @Test
    void tokensThatCameAreCountedAndNotThoseAskedFor() {
        TokenTrace trace =
                new TokenTrace(0, 4, 6, 0, new long[] {MS, 2 * MS, 3 * MS, 4 * MS, 5 * MS}, Outcome.COMPLETED, null);

        assertThat(trace.outputTokens()).isEqualTo(5);
        assertThat(StreamMetrics.requestTgs(trace)).hasValue(1000);
    }

    @ParameterizedTest
    @EnumSource
    void withoutATokenEveryMetricIsAbsent(Metric metric) {
        TokenTrace empty = new TokenTrace(0, 4, 6, 0, new long[0], Outcome.EMPTY, "no token came");

        assertThat(metric.of(empty)).isEmpty();
        assertThat(StreamMetrics.meanItlOverNNanos(empty)).isEmpty();
    }

    @Test
    void oneTokenGivesNoGapAndNoDecodeRate() {
        TokenTrace trace = trace(0, MS);

        assertThat(StreamMetrics.gapNanos(trace)).isEmpty();
        assertThat(StreamMetrics.tpotNanos(trace)).isEmpty();
        assertThat(StreamMetrics.decodeTgs(trace)).isEmpty();
        assertThat(StreamMetrics.meanItlOverNNanos(trace)).hasValue(0);
        assertThat(StreamMetrics.requestTgs(trace)).hasValue(1000);
    }

    @Test
    void tokensAtOneTimeGiveNoRateRatherThanInfinity() {
        assertThat(StreamMetrics.decodeTgs(trace(0, MS, MS))).isEmpty();
        assertThat(StreamMetrics.requestTgs(trace(MS, MS, MS))).isEmpty();
    }

    @Test
    void aClockThatRunsOverTheEndOfTheLongRangeChangesNothing() {
        TokenTrace trace = trace(Long.MAX_VALUE - 9, Long.MAX_VALUE, Long.MIN_VALUE + 19);

        assertThat(StreamMetrics.ttftNanos(trace)).hasValue(9);
        assertThat(StreamMetrics.gapNanos(trace)).containsExactly(20);
        assertThat(StreamMetrics.e2eNanos(trace)).hasValue(29);
        assertThat(StreamMetrics.tpotNanos(trace)).hasValue(20);
    }

    private static TokenTrace trace(long startNanos, long... arrivalNanos) {
        Measurement measurement =
                Traces.run().arrivals(startNanos, arrivalNanos).measurement();
        return measurement.traces().get(0);
    }
}
