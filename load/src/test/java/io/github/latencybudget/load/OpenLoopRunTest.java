package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PromptFile;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An open loop from warm-up to measurement, on a clock that goes on by a millisecond with each reading. */
@Timeout(60)
class OpenLoopRunTest {

    private static final Load.Open PER_MILLISECOND =
            new Load.Open(new Arrivals.Constant(1_000), OptionalInt.empty(), 100);

    @Test
    void itsRequestsAreDueAtEqualDistancesFromTheFirst() {
        Measurement run = new LoadDriver(evented(), scenario(PER_MILLISECOND, 20), Progress.NONE).run();

        long first = run.traces().get(0).startNanos();
        assertThat(run.traces())
                .extracting(t -> (t.startNanos() - first) / 1_000_000)
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> (long) i).toList());
        assertThat(run.traces()).allSatisfy(t -> {
            assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(t.scheduleDelayNanos()).isPresent();
            assertThat(t.endNanos()).isPresent();
        });
    }

    /** The clock goes on by more than the distance between two requests while one is sent, so the client is late. */
    @Test
    void whatIsDueWithinTheTimeIsPartOfItHoweverLateTheClientIs() {
        Scenario within = new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                1_000,
                Optional.of(Duration.ofMillis(30)),
                2,
                Sampling.GREEDY,
                PER_MILLISECOND,
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));

        assertThat(new LoadDriver(evented(), within, Progress.NONE).run().traces())
                .hasSize(30);
    }

    @Test
    void itsConditionsAreTheArrivalsAndHowManyWereInFlight() {
        Measurement run = new LoadDriver(evented(), scenario(PER_MILLISECOND, 20), Progress.NONE).run();

        assertThat(run.conditions().openLoop()).contains(PER_MILLISECOND);
        assertThat(run.conditions().concurrency())
                .isEqualTo(InFlight.due(run.traces()).peak());
        assertThat(run.conditions().load()).isEqualTo("open loop of 1000 requests/s, constant");
    }

    @Test
    void aTargetThatBlocksHasAThreadForEachInFlight() {
        TargetSession session = new ScriptedSession(4, p -> {}, p -> {});

        Measurement run = new LoadDriver(session, scenario(PER_MILLISECOND, 20), Progress.NONE).run();

        assertThat(run.traces()).hasSize(20).extracting(TokenTrace::outcome).containsOnly(Outcome.COMPLETED);
        assertThat(InFlight.sent(run.traces()).peak()).isLessThanOrEqualTo(4);
    }

    @Test
    void moreInFlightThanTheTargetCanHaveEndsTheRunBeforeTheWarmUp() {
        ScriptedSession session = new ScriptedSession(4, p -> {}, p -> {});
        Load.Open five = new Load.Open(new Arrivals.Constant(1_000), OptionalInt.of(5), 100);

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> new LoadDriver(session, scenario(five, 20), Progress.NONE).run())
                .withMessage(
                        "maxInFlight = 5: this target can have at most 4 requests in flight at a time; ask for at most so many, or leave it out");
        assertThat(session.prepares).hasValue(0);
    }

    @Test
    void aRampIsNotHeldAgainstItselfAsADrift() {
        Load.Open ramp = new Load.Open(new Arrivals.Ramp(100, 2_000, Duration.ofMillis(20)), OptionalInt.empty(), 100);

        assertThat(new LoadDriver(evented(), scenario(ramp, 20), Progress.NONE)
                        .run()
                        .watch()
                        .notApplicable())
                .contains(entry(Guard.MAX_DRIFT, "the arrivals are a ramp, so the load changes while the run lasts"));
    }

    /** A request by itself of TTFT 3 ms and then 2 ms per token takes 129 ms with 64 tokens. */
    @Test
    void itIsWarmedUpForAsManyAsAreInFlightIfNoneWaitsForAnother() {
        long ms = 1_000_000;
        TokenTrace alone = new TokenTrace(0, 8, 3, 0, new long[] {3 * ms, 5 * ms, 7 * ms}, Outcome.COMPLETED, null);

        assertThat(run(new Arrivals.Poisson(100, 0)).expectedInFlight(alone, 64))
                .isEqualTo(13);
        assertThat(run(new Arrivals.Ramp(0, 100, Duration.ofSeconds(1))).expectedInFlight(alone, 64))
                .isEqualTo(13);
        assertThat(run(new Arrivals.Constant(0.5)).expectedInFlight(alone, 64)).isEqualTo(1);
        assertThat(run(new Arrivals.Constant(5_000)).expectedInFlight(alone, 64))
                .isEqualTo(645);
        assertThat(run(new Arrivals.Constant(100)).warmedUp(645)).isEqualTo(64);
        assertThat(run(new Arrivals.Constant(100)).warmedUp(2)).isEqualTo(2);
        assertThat(run(new Arrivals.Poisson(100, 0)).warmedUp(2)).isEqualTo(8);
        assertThat(run(new Arrivals.Poisson(100, 0)).warmedUp(9)).isEqualTo(21);
    }

    @Test
    void aWarmUpThatDoesNotCompleteSaysWhy() {
        TokenTrace broken = new TokenTrace(0, 8, 3, 0, new long[] {}, Outcome.FAILED, "503 from the server");

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> run(new Arrivals.Constant(5)).expectedInFlight(broken, 64))
                .withMessage("the warm-up with a prompt of 8 tokens did not complete (FAILED): 503 from the server");
    }

    @Test
    void itSendsNoConversations() {
        Dialogue.Turn turn = new Dialogue.Turn(new Said.Tokens(8), OptionalInt.empty());
        Prompts turns = new Prompts.FromFile(
                new PromptFile("chat.jsonl", "6e4be9c5b674d0", 1, 0, 0, 2), List.of(new Dialogue(List.of(turn, turn))));

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new Scenario(
                        new TreeSet<>(),
                        turns,
                        4,
                        Optional.empty(),
                        2,
                        Sampling.GREEDY,
                        PER_MILLISECOND,
                        WarmUpPlan.DEFAULT))
                .withMessage(
                        "prompts = file chat.jsonl, sha256 6e4be9c5b674, 1 conversation of up to 2 turns: an open loop sends single prompts; run conversations of several turns in a closed one");
    }

    private static OpenLoopRun run(Arrivals arrivals) {
        return new OpenLoopRun(evented(), new Load.Open(arrivals, OptionalInt.empty(), 100), Optional.empty());
    }

    private static TargetSession evented() {
        return new EventedSession(p -> {}, (prompt, answer) -> answer.run());
    }

    private static Scenario scenario(Load load, int requests) {
        return new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                requests,
                Optional.empty(),
                2,
                Sampling.GREEDY,
                load,
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));
    }
}
