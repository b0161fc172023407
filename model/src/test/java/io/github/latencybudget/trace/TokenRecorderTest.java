package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class TokenRecorderTest {

    @Test
    void timesAreWhatTheClockReadAtEachCall() {
        TokenRecorder recorder = recorder(8, 100, 600, 620, 645);
        recorder.start(3, 512, 3, true);
        recorder.token();
        recorder.token();
        recorder.token();

        TokenTrace trace = recorder.end();

        assertThat(trace.startNanos()).isEqualTo(100);
        assertThat(arrivals(trace)).containsExactly(600, 620, 645);
        assertThat(trace).hasToString("request 3: 512 prompt tokens, 3 of 3 output tokens, COMPLETED");
    }

    @Test
    void moreTokensThanExpectedAreRecordedToo() {
        TokenRecorder recorder = recorder(0, 0, 1, 2, 3, 4, 5);
        recorder.start(0, 1, 5, true);
        IntStream.range(0, 5).forEach(i -> recorder.token());

        assertThat(arrivals(recorder.end())).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void theNextRequestKeepsNothingOfTheOneBefore() {
        TokenRecorder recorder = recorder(4, 0, 1, 2, 10, 13);
        recorder.start(0, 1, 2, true);
        recorder.token();
        recorder.token();
        TokenTrace first = recorder.end();
        recorder.start(1, 1, 1, true);
        recorder.token();

        assertThat(arrivals(recorder.end())).containsExactly(13);
        assertThat(arrivals(first)).containsExactly(1, 2);
    }

    @Test
    void aRequestOfAClosedLoopStartsWhenItsLastByteWasSent() {
        TokenRecorder recorder = recorder(4, 0, 25, 30, 50);
        recorder.start(0, 1, 1, true);
        recorder.sent(20);
        recorder.token();
        TokenTrace sentLate = recorder.end();
        recorder.start(1, 1, 1, true);
        recorder.token();

        assertThat(sentLate.startNanos()).isEqualTo(20);
        assertThat(sentLate.sentNanos()).isEmpty();
        assertThat(recorder.end().startNanos()).isEqualTo(30);
    }

    @Test
    void aRequestOfAnOpenLoopStartsWhenItWasDueHoweverLateItWasSent() {
        TokenRecorder recorder = recorder(4, 15, 25);
        recorder.startScheduled(0, 1, 1, true, 10);
        recorder.sent(20);
        recorder.token();

        TokenTrace trace = recorder.end();

        assertThat(trace.startNanos()).isEqualTo(10);
        assertThat(trace.scheduleDelayNanos()).hasValue(10);
    }

    @Test
    void withoutATokenARequestIsEmpty() {
        TokenRecorder recorder = recorder(4, 0);
        recorder.start(0, 1, 0, false);

        assertThat(recorder.end().outcome()).isEqualTo(Outcome.EMPTY);
    }

    @Test
    void fewerTokensThanAskedForAreATruncationOnlyWhereEosIsIgnored() {
        TokenRecorder recorder = recorder(4, 0, 1, 0, 1);
        recorder.start(0, 1, 2, true);
        recorder.token();
        TokenTrace truncated = recorder.end();
        recorder.start(1, 1, 2, false);
        recorder.token();

        assertThat(truncated.outcome()).isEqualTo(Outcome.TRUNCATED);
        assertThat(truncated.reason()).hasValue("1 of 2 output tokens came");
        assertThat(recorder.end().outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void aBreakKeepsTheArrivalsBeforeItAndItsReason() {
        TokenRecorder recorder = recorder(4, 0, 7);
        recorder.start(0, 1, 2, true);
        recorder.token();

        TokenTrace trace = recorder.fail("status 503");

        assertThat(trace.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(trace.reason()).hasValue("status 503");
        assertThat(arrivals(trace)).containsExactly(7);
    }

    /** Case 21: the first request of an open loop that is late. */
    @Test
    void aScheduledRequestCountsFromWhenItWasDue() {
        TokenRecorder recorder = recorder(4, 200, 390);
        recorder.startScheduled(1, 1, 1, true, 10);
        recorder.token();

        TokenTrace trace = recorder.end();

        assertThat(trace.startNanos()).isEqualTo(10);
        assertThat(trace.sentNanos()).hasValue(200);
        assertThat(trace.scheduleDelayNanos()).hasValue(190);
        assertThat(arrivals(trace)).containsExactly(390);
    }

    @Test
    void whatIsKnownOfOneRequestIsNotKnownOfTheNext() {
        TokenRecorder recorder = recorder(4, 5, 6, 7, 8);
        recorder.startScheduled(0, 16, 1, true, 1);
        recorder.cachedPromptTokens(15);
        recorder.token();
        TokenTrace first = recorder.end();
        recorder.start(1, 16, 1, true);
        recorder.token();
        TokenTrace second = recorder.end();

        assertThat(first.cachedPromptTokens()).hasValue(15);
        assertThat(first.scheduleDelayNanos()).hasValue(4);
        assertThat(second.cachedPromptTokens()).isEmpty();
        assertThat(second.scheduleDelayNanos()).isEmpty();
    }

    @Test
    void noMoreThanThePromptCanBeCached() {
        TokenRecorder recorder = recorder(4, 5);
        recorder.start(0, 16, 1, true);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> recorder.cachedPromptTokens(17))
                .withMessage("cachedPromptTokens = 17: must be from 0 to the 16 tokens of the prompt");
        assertThatIllegalArgumentException().isThrownBy(() -> recorder.cachedPromptTokens(-1));
    }

    private static TokenRecorder recorder(int expectedTokens, long... readings) {
        Deque<Long> script = new ArrayDeque<>();
        for (long reading : readings) {
            script.add(reading);
        }
        return new TokenRecorder(script::remove, expectedTokens);
    }

    private static long[] arrivals(TokenTrace trace) {
        return LongStream.rangeClosed(1, trace.outputTokens())
                .map(i -> trace.arrivalNanos((int) i))
                .toArray();
    }
}
