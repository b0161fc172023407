package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.SweepEntry.StepEntry;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Gates under one load after the other. Each step of the fake target is a second slower than the one before. */
class SweepGateTest {

    @TempDir
    Path output;

    @Retention(RetentionPolicy.RUNTIME)
    @Test
    @InferenceTarget(
            model = "fake:sweep",
            target = FakeTarget.class,
            options = {"slowerByMs=0.001", "maxConcurrency=3"})
    @interface SlowerGate {}

    static class HoldsAtOne {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500)
        @LoadSweep(concurrency = {1, 2, 3})
        void gate() {}
    }

    static class HasToHoldAtTwo {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500)
        @LoadSweep(
                concurrency = {1, 2, 3},
                atLeast = 2)
        void gate() {}
    }

    static class GoesOn {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500)
        @LoadSweep(
                concurrency = {1, 2, 3},
                stopAtBreach = false)
        void gate() {}
    }

    static class TooFewRequests {
        @Test
        @InferenceTarget(model = "fake:sweep-few", target = FakeTarget.class, options = "maxConcurrency=3")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500, requests = 20)
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static class MoreThanTheTargetCan {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500)
        @LoadSweep(concurrency = {1, 2, 4})
        void gate() {}
    }

    @LoadSweep(requestsPerSecond = {100, 200})
    static class ByRate {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 20, ttftMs = 20_000, confidence = 0.5)
        void gate() {}
    }

    static class NoLoads {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep
        void gate() {}
    }

    static class BothLoads {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(
                concurrency = {1, 2},
                requestsPerSecond = {1, 2})
        void gate() {}
    }

    static class OneLoad {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(concurrency = 4)
        void gate() {}
    }

    static class Descending {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(concurrency = {2, 1})
        void gate() {}
    }

    static class NoneInFlight {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(concurrency = {0, 1})
        void gate() {}
    }

    static class NanRate {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(requestsPerSecond = {1, Double.NaN})
        void gate() {}
    }

    static class Ramp {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(
                requestsPerSecond = {1, 2},
                arrivals = OpenLoop.Arrivals.RAMP)
        void gate() {}
    }

    static class OtherLoadHasToHold {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @LoadSweep(
                concurrency = {1, 2, 4},
                atLeast = 3)
        void gate() {}
    }

    static class WithOpenLoop {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5)
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static class WithConcurrency {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100, concurrency = 2)
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static class WithBaseline {
        @SlowerGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @ComparedWithBaseline
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static class WithThroughput {
        @SlowerGate
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 20)
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static class NoBudget {
        @SlowerGate
        @LoadSweep(concurrency = {1, 2})
        void gate() {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        NoLoads.class,
                        "@LoadSweep on NoLoads.gate: name the loads either by `concurrency` or by `requestsPerSecond`, such as `concurrency = {1, 2, 4, 8}`"),
                arguments(
                        BothLoads.class,
                        "@LoadSweep on BothLoads.gate: name the loads either by `concurrency` or by `requestsPerSecond`, such as `concurrency = {1, 2, 4, 8}`"),
                arguments(
                        OneLoad.class,
                        "@LoadSweep on OneLoad.gate: `concurrency = [4.0]` is not allowed; a sweep has two loads at least; for one, set it on the budget"),
                arguments(
                        Descending.class,
                        "@LoadSweep on Descending.gate: `concurrency = [2.0, 1.0]` is not allowed; put the loads in ascending order, each once"),
                arguments(
                        NoneInFlight.class,
                        "@LoadSweep on NoneInFlight.gate: `concurrency = 0.0` is not allowed; must be at least 1"),
                arguments(
                        NanRate.class,
                        "@LoadSweep on NanRate.gate: `requestsPerSecond = NaN` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        Ramp.class,
                        "@LoadSweep on Ramp.gate: `arrivals = RAMP` is not allowed; each step of a sweep has one load; set POISSON or CONSTANT"),
                arguments(
                        OtherLoadHasToHold.class,
                        "@LoadSweep on OtherLoadHasToHold.gate: `atLeast = 3.0` is not allowed; it is one of the loads that are measured, [1.0, 2.0, 4.0]"),
                arguments(
                        WithOpenLoop.class,
                        "@LoadSweep on WithOpenLoop.gate: it has loads of its own; remove @OpenLoop, or the sweep"),
                arguments(
                        WithConcurrency.class,
                        "@LoadSweep on WithConcurrency.gate: it has loads of its own; leave `concurrency` of the budget out"),
                arguments(
                        WithBaseline.class,
                        "@LoadSweep on WithBaseline.gate: a run is compared with a baseline of its own load; move @ComparedWithBaseline to a test of one load"),
                arguments(
                        WithThroughput.class,
                        "@LoadSweep on WithThroughput.gate: a rate in tokens holds for one concurrency, and a sweep has several; move the @ThroughputBudget to a test of its own"),
                arguments(
                        NoBudget.class,
                        "@LoadSweep on NoBudget.gate: there is no budget, so nothing is measured; add @LatencyBudget or another budget"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void whatCannotBeMeantIsRefused(Class<?> gate, String message) {
        new Gates(output).assertRefused(gate, message);
    }

    @Test
    void itPassesWhereTheLowestLoadHoldsAndEndsWithTheFirstThatIsBroken() {
        gates().run(HoldsAtOne.class)
                .testEvents()
                .assertStatistics(s -> s.succeeded(1).failed(0));

        GateRecord record = record();
        assertThat(record.judgement().status()).isEqualTo(Status.PASS);
        assertThat(record.measurement().concurrency()).isEqualTo(1);
        assertThat(record.sweep().planned()).containsExactly(1.0, 2.0, 3.0);
        assertThat(record.sweep().steps())
                .extracting(s -> s.judgement().status())
                .containsExactly(Status.PASS, Status.BREACH);
        assertThat(record.sweep().steps().get(0).measurement())
                .as("that of the record itself")
                .isNull();
        assertThat(record.sweep().steps().get(1).measurement().concurrency()).isEqualTo(2);
    }

    @Test
    void itFailsWhereALoadThatHasToHoldDoesNot() {
        assertThat(gates().failure(HasToHoldAtTwo.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "the highest load that was shown to hold is concurrency 1; concurrency 2 is BREACH; it has to hold up to concurrency 2; it ended with concurrency 2, so concurrency 3 was not measured")
                .hasMessageContaining("| concurrency 2 |")
                .hasMessageContaining("BREACH  TTFT P95 at most 500.0 ms for prompts of 8 tokens");
        assertThat(record().judgement().status()).isEqualTo(Status.BREACH);
        assertThat(record().measurement().concurrency()).isEqualTo(2);
    }

    @Test
    void aLoadThatIsNotDecidedSaysHowManyRequestsItTakes() {
        assertThat(gates().failure(TooFewRequests.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "not even the lowest load, concurrency 1, was shown to hold; concurrency 1 is INCONCLUSIVE, for it takes 64 requests if no further value is beyond a limit; it has to hold up to concurrency 1");
    }

    @Test
    void unlessToldOtherwiseIsToldOtherwise() {
        gates().run(GoesOn.class).testEvents().assertStatistics(s -> s.succeeded(1));

        assertThat(record().sweep().steps()).extracting(StepEntry::load).containsExactly(1.0, 2.0, 3.0);
    }

    @Test
    void moreThanTheTargetCanHaveEndsItBeforeItsFirstStep() {
        assertThat(gates().failure(MoreThanTheTargetCan.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "concurrency = 4: this target can have at most 3 in flight at a time; end the sweep there, or open it with room for more");
        assertThat(record().measurement()).isNull();
    }

    @Test
    void theLoadsMayBeRates() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates().with("latencybudget.model", "openai:" + server.url()).run(ByRate.class);

            assertThat(record().sweep().steps()).extracting(StepEntry::load).contains(100.0);
            assertThat(record().measurement().openLoop().requestsPerSecond()).isEqualTo(100);
            assertThat(record().measurement().requests()).hasSize(20);
        }
    }

    private Gates gates() {
        return new Gates(output).with("latencybudget.guards.max-drift", "off");
    }

    private GateRecord record() {
        return new Gates(output).records().get(0);
    }
}
