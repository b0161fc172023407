package io.github.latencybudget.metric;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Streams whose chunks hold several tokens. */
final class ChunkedStreamTest {

    private static final TokenTrace KNOWN =
            trace(Chunks.of(new long[] {100 * MS, 140 * MS, 150 * MS}, new int[] {1, 4, 1}));
    private static final TokenTrace UNKNOWN = trace(Chunks.ofUnknownSizes(new long[] {120 * MS, 160 * MS}, 5));

    @Test
    void theGapOfAChunkDividesEvenlyOverItsTokens() {
        assertThat(StreamMetrics.gapNanos(KNOWN)).containsExactly(10 * MS, 10 * MS, 10 * MS, 10 * MS, 10 * MS);
        assertThat(StreamMetrics.chunkGapNanos(KNOWN)).containsExactly(40 * MS, 10 * MS);
        assertThat(StreamMetrics.tpotNanos(KNOWN)).hasValue(10 * MS);
        assertThat(StreamMetrics.decodeTgs(KNOWN)).hasValue(100);
    }

    @Test
    void noNanosecondIsLostInAGapThatDoesNotDivide() {
        long[] gaps = StreamMetrics.gapNanos(trace(Chunks.of(new long[] {100, 110}, new int[] {1, 3})));

        assertThat(gaps).containsExactly(3, 3, 4);
        assertThat(Arrays.stream(gaps).sum()).isEqualTo(10);
    }

    @Test
    void tokensOfTheFirstChunkAreNotCountedAgainstTheTimeAfterIt() {
        TokenTrace trace = trace(Chunks.of(new long[] {300 * MS, 600 * MS}, new int[] {4, 30}));

        assertThat(StreamMetrics.tpotNanos(trace)).hasValue(10 * MS);
        assertThat(StreamMetrics.decodeTgs(trace)).hasValue(100);
        assertThat(StreamMetrics.gapNanos(trace)).hasSize(30);
    }

    @Test
    void whereSizesAreUnknownThereAreNoGapsBetweenTokens() {
        assertThat(StreamMetrics.gapNanos(UNKNOWN)).isEmpty();
        assertThat(Metric.ITL.of(UNKNOWN)).isEmpty();
        assertThat(new GapPercentile(Percentile.P95).of(UNKNOWN)).isEmpty();
        assertThat(StreamMetrics.fluidity(UNKNOWN, MS, MS)).isEmpty();
        assertThat(Metric.ICL.of(UNKNOWN)).containsExactly(40 * MS);
        assertThat(StreamMetrics.tpotNanos(UNKNOWN)).hasValue(10 * MS);
        assertThat(StreamMetrics.ttftNanos(UNKNOWN)).hasValue(120 * MS);
        assertThat(StreamMetrics.e2eNanos(UNKNOWN)).hasValue(160 * MS);
    }

    @Test
    void allInOneChunkGivesNoRateOfDecoding() {
        TokenTrace trace = trace(Chunks.ofUnknownSizes(new long[] {100 * MS}, 5));

        assertThat(StreamMetrics.tpotNanos(trace)).isEmpty();
        assertThat(StreamMetrics.decodeTgs(trace)).isEmpty();
        assertThat(StreamMetrics.chunkGapNanos(trace)).isEmpty();
        assertThat(StreamMetrics.requestTgs(trace)).hasValue(50);
    }

    @Test
    void theFirstVisibleTokenComesAfterTheReasoning() {
        TokenTrace reasoned = trace(Chunks.ofOneToken(1_200 * MS, 5_000 * MS, 9_000 * MS, 9_020 * MS)
                .visibleFrom(3));

        assertThat(StreamMetrics.ttftNanos(reasoned)).hasValue(1_200 * MS);
        assertThat(StreamMetrics.ttfoNanos(reasoned)).hasValue(9_000 * MS);
        assertThat(Metric.TTFO.of(trace(Chunks.ofOneToken(MS).visibleFrom(0)))).isEmpty();
        assertThat(Metric.TTFO.of(trace(Chunks.ofOneToken(MS)))).containsExactly(MS);
    }

    @Test
    void slackIsCarriedOverToLaterTokens() {
        // Deadlines 100, 120, 140, 160 ms: the second is late, and the third takes from what the first saved.
        TokenTrace trace = trace(Chunks.ofOneToken(60 * MS, 121 * MS, 140 * MS, 160 * MS + 1));

        assertThat(StreamMetrics.fluidity(trace, 100 * MS, 20 * MS)).hasValue(0.5);
        assertThat(StreamMetrics.fluidity(trace, 101 * MS, 20 * MS)).hasValue(1);
        assertThat(StreamMetrics.fluidity(KNOWN, 100 * MS, 10 * MS).getAsDouble())
                .isCloseTo(3 / 6.0, within(1e-12));
    }

    @Test
    void aPercentileOfTheGapsOfARequestIsOneOfThem() {
        TokenTrace trace = trace(Chunks.ofOneToken(0, 30, 40, 90));

        assertThat(new GapPercentile(Percentile.P50).of(trace)).containsExactly(30);
        assertThat(new GapPercentile(Percentile.of(100)).of(trace)).containsExactly(50);
        assertThat(new GapPercentile(Percentile.P95).label()).isEqualTo("request ITL P95");
    }

    private static TokenTrace trace(Chunks chunks) {
        return new TokenTrace(0, 512, chunks.tokens(), 0, chunks, Outcome.COMPLETED, null);
    }
}
