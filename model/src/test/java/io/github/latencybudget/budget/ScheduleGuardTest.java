package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Who held up requests that were sent late: their client, or those in flight before them. */
class ScheduleGuardTest {

    private static final Budget BUDGET =
            Budget.of(LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500)));

    /** Each is sent so long after the one before it is over. */
    private static Traces oneAfterTheOther(long breakNanos) {
        Traces traces = run();
        for (int i = 0; i < 3; i++) {
            long due = 10 * i * MS;
            long sent = i * (190 * MS + breakNanos);
            traces.arrivals(due, sent + 190 * MS).sentAfter(sent - due).overAfter(sent + 190 * MS - due);
        }
        return traces.mostInFlight(1);
    }

    private static Traces asManyAs(int maxInFlight, Traces traces) {
        return traces.openLoop(new Load.Open(new Arrivals.Constant(100), OptionalInt.of(maxInFlight), 100));
    }

    @Test
    void whatWaitsForALimitThatWasSetDoesNotWaitForTheClient() {
        assertThat(BUDGET.evaluate(asManyAs(1, oneAfterTheOther(0)).measurement())
                        .findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.NO_ROOM,
                                "there was no room for more requests in flight: requests were sent up to 360.0 ms after they were due (P95 360.0 ms), over 10.0% of the limit of 500.0 ms on TTFT, while 1 was in flight, as many as maxInFlight allows; raise it, or send fewer requests per second"));
    }

    @Test
    void whatWaitsForASlotOfTheTargetDoesNotEither() {
        Verdicts verdicts = BUDGET.evaluate(oneAfterTheOther(0).measurement());

        assertThat(verdicts.findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.NO_ROOM,
                                "there was no room for more requests in flight: requests were sent up to 360.0 ms after they were due (P95 360.0 ms), over 10.0% of the limit of 500.0 ms on TTFT, while 1 was in flight, as many as the target can have; open it with room for more, or send fewer requests per second"));
        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
    }

    /** 25 ms at each of two ends are as much as is allowed, and more is not. */
    @Test
    void aClientThatIsLateBesideIsJudgedByItsOwnDelay() {
        assertThat(BUDGET.evaluate(oneAfterTheOther(25 * MS).measurement()).findings())
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.NO_ROOM);
        assertThat(BUDGET.evaluate(oneAfterTheOther(26 * MS).measurement()).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_BEHIND,
                                "the client could not keep up: requests were sent up to 412.0 ms after they were due (P95 412.0 ms), over 10.0% of the limit of 500.0 ms on TTFT, and up to 52.0 ms (P95 52.0 ms) of that while there was room for more in flight; send fewer requests per second, or from more machines"));
    }

    /** Whoever waits for its connection, or to be written, has its place: what the others wait meanwhile is no delay of the client's. */
    @Test
    void whatIsBegunHasItsPlaceBeforeItIsSent() {
        Traces traces = run();
        for (int i = 0; i < 5; i++) {
            long due = 10 * i * MS;
            long sent = i * 120 * MS + 20 * MS;
            traces.arrivals(due, sent + 100 * MS)
                    .sentAfter(sent - due)
                    .begunBeforeSent(20 * MS)
                    .overAfter(sent + 100 * MS - due);
        }

        assertThat(BUDGET.evaluate(traces.mostInFlight(1).measurement()).findings())
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.NO_ROOM);
    }

    /** It has no other client's machine to be helped by, where the server does not take what is sent. */
    @Test
    void whatPassesUntilTheLastByteNeedNotBeTheClients() {
        Traces traces = run();
        for (int i = 0; i < 3; i++) {
            long due = 10 * i * MS;
            long sent = due + 80 * MS;
            traces.arrivals(due, sent + 10 * MS)
                    .sentAfter(80 * MS)
                    .begunBeforeSent(79 * MS)
                    .overAfter(90 * MS);
        }

        assertThat(BUDGET.evaluate(traces.measurement()).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_BEHIND,
                                "the client could not keep up, or the server did not take its requests: requests were sent up to 80.0 ms after they were due (P95 80.0 ms), over 10.0% of the limit of 500.0 ms on TTFT, and 79.0 ms (P95) passed from when they were begun to their last byte, in which the connection, the network and a server that reads slowly are too; see those, send fewer requests per second, or from more machines"));
    }

    /** With room for two, one in flight is no reason to wait. */
    @Test
    void whereThereWasRoomItWasTheClient() {
        assertThat(BUDGET.evaluate(oneAfterTheOther(0).mostInFlight(2).measurement())
                        .findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_BEHIND,
                                "the client could not keep up: requests were sent up to 360.0 ms after they were due (P95 360.0 ms), over 10.0% of the limit of 500.0 ms on TTFT; send fewer requests per second, or from more machines"));
    }
}
