package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.MeasurementEntry;
import io.github.latencybudget.record.OpenLoopEntry;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.Outcome;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Gates whose requests are due at a rate. The limits are far from the schedule, since time is real here. */
class OpenLoopGateTest {

    @TempDir
    Path output;

    @Retention(RetentionPolicy.RUNTIME)
    @Test
    @InferenceTarget(model = "fake:open", target = FakeTarget.class)
    @interface FakeGate {}

    static class Lenient {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 200, ttftMs = 20_000)
        @OpenLoop(requestsPerSecond = 200, arrivals = OpenLoop.Arrivals.CONSTANT)
        void gate() {}
    }

    @OpenLoop(requestsPerSecond = 100)
    static class OnItsClass {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 20, ttftMs = 20_000)
        void gate() {}
    }

    /** One at a time, of half a second each, and a hundred times as many due. */
    static class Overloaded {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 20, ttftMs = 20_000)
        @OpenLoop(requestsPerSecond = 200, maxInFlight = 1, maxQueued = 1)
        void gate() {}
    }

    static class WithConcurrency {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100, concurrency = 4)
        @OpenLoop(requestsPerSecond = 5)
        void gate() {}
    }

    static class WithThroughput {
        @FakeGate
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 20)
        @OpenLoop(requestsPerSecond = 5)
        void gate() {}
    }

    static class WithoutRate {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 0)
        void gate() {}
    }

    static class NanRate {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = Double.NaN)
        void gate() {}
    }

    static class NoRamp {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, rampSeconds = 10)
        void gate() {}
    }

    static class RampToNowhere {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, arrivals = OpenLoop.Arrivals.RAMP, rampSeconds = 10)
        void gate() {}
    }

    static class FlatRamp {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, arrivals = OpenLoop.Arrivals.RAMP, toRequestsPerSecond = 5, rampSeconds = 10)
        void gate() {}
    }

    static class RampInNoTime {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, arrivals = OpenLoop.Arrivals.RAMP, toRequestsPerSecond = 10, rampSeconds = 0)
        void gate() {}
    }

    static class DriftOfARamp {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @RunBudget(maxTtftDrift = 0.1)
        @OpenLoop(requestsPerSecond = 0, arrivals = OpenLoop.Arrivals.RAMP, toRequestsPerSecond = 10, rampSeconds = 10)
        void gate() {}
    }

    static class NoneInFlight {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, maxInFlight = -1)
        void gate() {}
    }

    static class NegativeQueue {
        @FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5, maxQueued = -1)
        void gate() {}
    }

    static class NoBudget {
        @FakeGate
        @OpenLoop(requestsPerSecond = 5)
        void gate() {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        WithConcurrency.class,
                        "@LatencyBudget on WithConcurrency.gate: `concurrency = 4` is not allowed; with @OpenLoop, requests are due at a rate, and how many are in flight is a result; leave it out, or limit them by `maxInFlight` of @OpenLoop"),
                arguments(
                        WithThroughput.class,
                        "@ThroughputBudget on WithThroughput.gate: a rate in tokens holds for a concurrency, and in an open loop how many are in flight is a result; move it to a test without @OpenLoop"),
                arguments(
                        WithoutRate.class,
                        "@OpenLoop on WithoutRate.gate: `requestsPerSecond = 0.0` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        NanRate.class,
                        "@OpenLoop on NanRate.gate: `requestsPerSecond = NaN` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        NoRamp.class,
                        "@OpenLoop on NoRamp.gate: `rampSeconds = 10.0` is not allowed; only a ramp has it; set `arrivals = RAMP`, or leave it out"),
                arguments(
                        RampToNowhere.class,
                        "@OpenLoop on RampToNowhere.gate: `arrivals = RAMP` takes `toRequestsPerSecond`, the rate that it comes to; set it"),
                arguments(
                        FlatRamp.class,
                        "@OpenLoop on FlatRamp.gate: `toRequestsPerSecond = 5.0` is not allowed; a ramp ends at another rate than it starts with; set one, or `arrivals = CONSTANT`"),
                arguments(
                        RampInNoTime.class,
                        "@OpenLoop on RampInNoTime.gate: `rampSeconds = 0.0` is not allowed; must be above 0 and at most one day"),
                arguments(
                        DriftOfARamp.class,
                        "@RunBudget on DriftOfARamp.gate: `maxTtftDrift = 0.1` is not allowed; the load of a ramp changes by itself; leave it out, or set other `arrivals` of @OpenLoop"),
                arguments(
                        NoneInFlight.class,
                        "@OpenLoop on NoneInFlight.gate: `maxInFlight = -1` is not allowed; must be at least 1, or 0 for as many as the target can have"),
                arguments(
                        NegativeQueue.class,
                        "@OpenLoop on NegativeQueue.gate: `maxQueued = -1` is not allowed; must be at least 0"),
                arguments(
                        NoBudget.class,
                        "@OpenLoop on NoBudget.gate: there is no budget, so nothing is measured; add @LatencyBudget or another budget"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void whatCannotBeMeantIsRefused(Class<?> gate, String message) {
        new Gates(output).assertRefused(gate, message);
        assertThat(FakeTarget.OPENED).doesNotContainKey("fake:open");
    }

    @Test
    void requestsAreDueAtTheRateAndAllAreMeasured() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates(server).run(Lenient.class);

            MeasurementEntry run = record().measurement();
            assertThat(run.openLoop())
                    .isEqualTo(new OpenLoopEntry(OpenLoopEntry.Kind.CONSTANT, 200, null, null, null, null, 100));
            assertThat(run.requests()).hasSize(200);
            assertThat(run.requests())
                    .extracting(MeasurementEntry.Request::startNanos)
                    .startsWith(0L, 5_000_000L, 10_000_000L)
                    .endsWith(995_000_000L);
        }
    }

    @Test
    void thoseOfTheElementAroundItCountAndTheSeedIsKept() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates(server).with("latencybudget.seed", "77").run(OnItsClass.class);

            assertThat(record().measurement().openLoop())
                    .isEqualTo(new OpenLoopEntry(OpenLoopEntry.Kind.POISSON, 100, null, null, 77L, null, 100));
        }
    }

    @Test
    void whatIsDroppedMakesTheGateFail() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(500_000_000, 0).caching(0))) {
            assertThat(gates(server).failure(Overloaded.class))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("open loop of 200 requests/s, Poisson")
                    .hasMessageContaining(" requests were due and never sent")
                    .hasMessageContaining(
                            "DROPPED: it was due when 1 request was in flight and the queue of 1 was full");
            assertThat(record().judgement().status()).isEqualTo(Status.INCONCLUSIVE);
            assertThat(record().measurement().requests())
                    .hasSize(20)
                    .extracting(MeasurementEntry.Request::outcome)
                    .contains(Outcome.DROPPED);
        }
    }

    private Gates gates(ScriptedServer server) {
        return new Gates(output)
                .with("latencybudget.model", "openai:" + server.url())
                .with("latencybudget.guards.max-drift", "off");
    }

    private GateRecord record() {
        return new Gates(output).records().get(0);
    }
}
