package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChunksTest {

    @Test
    void tokensArriveWithTheirChunk() {
        TokenTrace trace = trace(Chunks.of(new long[] {100, 140, 150}, new int[] {1, 4, 1}));

        assertThat(trace.outputTokens()).isEqualTo(6);
        assertThat(trace.arrivalNanos(1)).isEqualTo(100);
        assertThat(trace.arrivalNanos(2)).isEqualTo(140);
        assertThat(trace.arrivalNanos(5)).isEqualTo(140);
        assertThat(trace.arrivalNanos(6)).isEqualTo(150);
        assertThatThrownBy(() -> trace.arrivalNanos(0)).isInstanceOf(ArrayIndexOutOfBoundsException.class);
        assertThatThrownBy(() -> trace.arrivalNanos(7)).isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }

    @Test
    void whereOnlyTheSumIsKnownTheFirstAndTheLastTokenStillHaveTimes() {
        TokenTrace trace = trace(Chunks.ofUnknownSizes(new long[] {100, 140}, 5));

        assertThat(trace.chunks().areTokensKnown()).isFalse();
        assertThat(trace.outputTokens()).isEqualTo(5);
        assertThat(trace.arrivalNanos(1)).isEqualTo(100);
        assertThat(trace.arrivalNanos(5)).isEqualTo(140);
        assertThatIllegalStateException()
                .isThrownBy(() -> trace.arrivalNanos(3))
                .withMessage("it is not known which of 2 chunks held how many of 5 tokens");
    }

    @Test
    void asManyTokensAsChunksAreOneEach() {
        assertThat(Chunks.ofUnknownSizes(new long[] {100, 140}, 2).isOneTokenEach())
                .isTrue();
        assertThat(Chunks.of(new long[] {100, 140}, new int[] {1, 1}).isOneTokenEach())
                .isTrue();
    }

    @Test
    void theVisibleAnswerBeginsWhereItIsSaidTo() {
        Chunks chunks = Chunks.ofOneToken(100, 140, 150);

        assertThat(chunks.firstVisible()).hasValue(1);
        assertThat(chunks.visibleFrom(3).firstVisible()).hasValue(3);
        assertThat(chunks.visibleFrom(0).firstVisible()).isEmpty();
        assertThat(Chunks.ofOneToken().firstVisible()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> chunks.visibleFrom(4))
                .withMessage("the first visible chunk is 4 of 3: must be one of them, or 0 for none");
    }

    @Test
    void chunksThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Chunks.of(new long[] {1, 2}, new int[] {1}))
                .withMessage("2 chunks arrived, and [1] tokens in them are given; each chunk holds at least one");
        assertThatIllegalArgumentException().isThrownBy(() -> Chunks.of(new long[] {1, 2}, new int[] {1, 0}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Chunks.ofUnknownSizes(new long[0], 2))
                .withMessage("0 chunks with 2 tokens together");
        assertThatIllegalArgumentException().isThrownBy(() -> Chunks.ofUnknownSizes(new long[1], 0));
    }

    @Test
    void aRecorderKeepsChunksAndTheFirstVisibleOne() {
        TokenRecorder recorder = recorder(0, 10, 20, 30);
        recorder.start(0, 1, 6, true);
        recorder.reasoning(2);
        recorder.chunk(3);
        recorder.token();

        Chunks chunks = recorder.end().chunks();

        assertThat(List.of(chunks.tokensOf(1), chunks.tokensOf(2), chunks.tokensOf(3)))
                .containsExactly(2, 3, 1);
        assertThat(chunks.firstVisible()).hasValue(2);
    }

    @Test
    void aRecorderThatIsToldAnotherSumKnowsNoSizes() {
        TokenRecorder recorder = recorder(0, 10, 20, 0, 10, 20);
        recorder.start(0, 1, 5, true);
        recorder.token();
        recorder.token();
        recorder.allTokens(5);
        TokenTrace trace = recorder.end();
        recorder.start(0, 1, 2, true);
        recorder.token();
        recorder.token();

        assertThat(trace.outputTokens()).isEqualTo(5);
        assertThat(trace.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(trace.chunks().areTokensKnown()).isFalse();
        assertThat(recorder.end().chunks().isOneTokenEach()).isTrue();
    }

    @Test
    void onlyReasoningIsNoVisibleAnswer() {
        TokenRecorder recorder = recorder(0, 10);
        recorder.start(0, 1, 1, true);
        recorder.reasoning(1);

        assertThat(recorder.end().chunks().firstVisible()).isEmpty();
    }

    @Test
    void aChunkWithoutATokenIsRefused() {
        TokenRecorder recorder = recorder(0, 10);
        recorder.start(0, 1, 1, true);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> recorder.chunk(0))
                .withMessage("tokens = 0: must be at least 1");
    }

    private static TokenTrace trace(Chunks chunks) {
        return new TokenTrace(0, 512, chunks.tokens(), 0, chunks, Outcome.COMPLETED, null);
    }

    private static TokenRecorder recorder(long... readings) {
        Deque<Long> script = new ArrayDeque<>();
        for (long reading : readings) {
            script.add(reading);
        }
        return new TokenRecorder(script::remove, 1);
    }
}
