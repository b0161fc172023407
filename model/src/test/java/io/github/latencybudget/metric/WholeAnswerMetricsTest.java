package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenSink;
import io.github.latencybudget.trace.TokenTrace;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of an answer that was not streamed, only what does not need the time of a first token is there. */
class WholeAnswerMetricsTest {

    private static TokenTrace whole(int tokens) {
        return new TokenTrace(0, 8, tokens, 100, Chunks.whole(1_000_000_100, tokens), Outcome.COMPLETED, null);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 50})
    void e2eAndTheNumberOfTokensAreAllThatThereIs(int tokens) {
        TokenTrace trace = whole(tokens);

        assertThat(trace.outputTokens()).isEqualTo(tokens);
        assertThat(StreamMetrics.e2eNanos(trace)).hasValue(1_000_000_000);
        assertThat(StreamMetrics.requestTgs(trace)).hasValue(tokens);
        assertThat(StreamMetrics.ttftNanos(trace)).isEmpty();
        assertThat(StreamMetrics.ttfoNanos(trace)).isEmpty();
        assertThat(StreamMetrics.gapNanos(trace)).isEmpty();
        assertThat(StreamMetrics.chunkGapNanos(trace)).isEmpty();
        assertThat(StreamMetrics.tpotNanos(trace)).isEmpty();
        assertThat(StreamMetrics.decodeTgs(trace)).isEmpty();
        assertThat(StreamMetrics.meanItlOverNNanos(trace)).isEmpty();
        assertThat(StreamMetrics.fluidity(trace, Long.MAX_VALUE, 0)).isEmpty();
    }

    @Test
    void aStreamOfOneChunkHasATtft() {
        TokenTrace trace =
                new TokenTrace(0, 8, 4, 100, Chunks.of(new long[] {150}, new int[] {4}), Outcome.COMPLETED, null);

        assertThat(StreamMetrics.ttftNanos(trace)).hasValue(50);
    }

    @Test
    void aRecorderForgetsItWithTheNextRequest() {
        TokenRecorder recorder = new TokenRecorder(() -> 7, 4);
        recorder.start(0, 8, 4, true);
        recorder.whole(20, 4);
        assertThat(recorder.end().chunks().isWhole()).isTrue();

        recorder.start(1, 8, 1, true);
        recorder.token();
        assertThat(recorder.end().chunks().isWhole()).isFalse();
    }

    @Test
    void itStaysWholeWhereverItsVisiblePartBegins() {
        assertThat(Chunks.whole(5, 3).visibleFrom(0).isWhole()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> Chunks.whole(5, 0));
    }

    @Test
    void aSinkThatTakesStreamsAloneRefusesIt() {
        TokenSink sink = () -> {};

        Assertions.assertThatThrownBy(() -> sink.whole(NanoClock.SYSTEM.nanos(), 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("an answer that was not streamed, and this sink takes streams");
    }
}
