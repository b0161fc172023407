package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;

class LatencyBudgetExtensionTest {

    @TempDir
    Path output;

    private Gates gates;

    @BeforeEach
    void forget() {
        gates = new Gates(output);
        FakeTarget.OPENED.clear();
        FakeTarget.CLOSED.clear();
        FakeTarget.MOST_RUNNING.set(0);
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"ttftMs=100", "itlMs=10"})
    static class Holding {
        static Measurement given;

        @Test
        @LatencyBudget(promptTokens = 512, outputTokens = 11, ttftMs = 100, itlP95Ms = 10, e2eP95Ms = 200)
        void gate(Measurement measurement) {
            given = measurement;
        }
    }

    @Test
    void aLimitThatIsJustReachedHolds() {
        EngineExecutionResults results = gates.run(Holding.class);

        results.testEvents().assertStatistics(s -> s.succeeded(1).failed(0));
        assertThat(Holding.given.traces()).hasSize(64);
        assertThat(gates.records()).singleElement().satisfies(r -> {
            assertThat(r.state()).isEqualTo(GateRecord.State.ENDED);
            assertThat(r.judgement().status()).isEqualTo(Status.PASS);
            assertThat(r.measurement().requests()).hasSize(64);
            assertThat(r.test()).isEqualTo(new TestEnding(TestEnding.Status.PASSED, null));
        });
    }

    @Test
    void theWarmUpIsNoPartOfTheResult() {
        gates.run(Holding.class);

        assertThat(Holding.given.warmUp().series()).singleElement().satisfies(s -> {
            assertThat(s.promptTokens()).isEqualTo(512);
            assertThat(s.ttftNanos()).hasSize(3);
            assertThat(s.outputTokens()).isGreaterThanOrEqualTo(8);
            assertThat(s.warm()).isTrue();
        });
        assertThat(Holding.given.traces().get(0).request()).isZero();
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"ttftMs=100", "itlMs=10.000001"})
    static class Broken {
        @Test
        @LatencyBudget(promptTokens = 512, outputTokens = 21, ttftMs = 100, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    void oneNanosecondOverTheLimitBreaksIt() {
        assertThat(gates.failure(Broken.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("PASS  TTFT P95 at most 100.0 ms for prompts of 512 tokens: observed 100.0 ms")
                .hasMessageContaining(
                        "BREACH  ITL P95 at most 10.0 ms for prompts of 512 tokens: observed 10.000001 ms, 0.000001 ms (under 0.1%) over")
                .hasMessageContaining("evidence: ")
                .hasMessageContaining("LatencyBudgetExtensionTest_Broken.gate-");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "ttftMs=100")
    static class EveryLimit {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 99)
        void ttft() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 99, ttftPercentile = 50)
        void ttftPercentile() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP50Ms = 9)
        void itlP50() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 9)
        void itlP95() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP99Ms = 9)
        void itlP99() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, tpotP95Ms = 9)
        void tpotP95() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, e2eP95Ms = 119)
        void e2eP95() {}
    }

    /** Case 17. */
    @Test
    void everyAttributeThatSetsALimitCanFail() {
        EngineExecutionResults results = gates.run(EveryLimit.class);

        results.testEvents().assertStatistics(s -> s.started(7).failed(7));
        assertThat(gates.records())
                .hasSize(7)
                .allSatisfy(r -> assertThat(r.judgement().status())
                        .as(r.gate().toString())
                        .isEqualTo(Status.BREACH));
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"itlMs=10", "memoryGiB=2"})
    static class EveryRate {
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 11,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 100,
                minRequestTgs = 55)
        void holds() {}

        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 11,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 100.1)
        void decodeTgs() {}

        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 11,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minRequestTgs = 55.1)
        void requestTgs() {}

        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 11,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 1.9,
                minDecodeTgs = 100)
        void memory() {}
    }

    @Test
    void aRateHoldsWithinItsConditionsOnly() {
        gates.run(EveryRate.class)
                .testEvents()
                .assertStatistics(s -> s.succeeded(1).failed(3));

        assertThat(gates.records())
                .extracting(r -> r.gate().methodName(), r -> r.judgement().status())
                .containsExactlyInAnyOrder(
                        tuple("holds()", Status.PASS),
                        tuple("decodeTgs()", Status.BREACH),
                        tuple("requestTgs()", Status.BREACH),
                        tuple("memory()", Status.INCONCLUSIVE));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class TooFew {
        @Test
        @LatencyBudget(promptTokens = 512, outputTokens = 3, requests = 5, ttftMs = 450)
        void gate() {}
    }

    /** Case 2. */
    @Test
    void fiveRequestsAreTooFewForAP95() {
        assertThat(gates.failure(TooFew.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("INCONCLUSIVE  TTFT P95 at most 450.0 ms")
                .hasMessageContaining("64 requests");
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"failEvery=10", "failure=the engine said: boom"})
    static class SomeFail {
        @Test
        @LatencyBudget(promptTokens = 512, outputTokens = 3, ttftMs = 450)
        void gate() {}
    }

    /** Case 14. */
    @Test
    void requestsThatFailedKeepAGateFromPassing() {
        assertThat(gates.failure(SomeFail.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("INCONCLUSIVE")
                .hasMessageContaining("7 of 71 requests did not complete")
                .hasMessageContaining("the engine said: boom");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "tokens=0")
    static class NoToken {
        @Test
        @LatencyBudget(promptTokens = 512, outputTokens = 3, ttftMs = 450)
        void gate() {}
    }

    /** Case 13. */
    @Test
    void answersWithoutATokenAreNoFastAnswers() {
        assertThat(gates.failure(NoToken.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no token")
                .hasMessageNotContaining("tokens/s");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "itlMs=20")
    static class Bodies {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void assertion() {
            throw new AssertionError("the body's own");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void exception() {
            throw new IllegalStateException("the body's own");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void assumption() {
            Assumptions.assumeTrue(false, "the body's own");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 30)
        void failsThoughTheGatePasses() {
            throw new IllegalStateException("the body's own");
        }
    }

    /** Case 31. */
    @Test
    void whatTheBodyThrowsKeepsItsMeaningAndTheVerdictIsAdded() {
        EngineExecutionResults results = gates.run(Bodies.class);

        results.testEvents().assertStatistics(s -> s.failed(4));
        results.testEvents().finished().stream()
                .map(e -> e.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .forEach(t -> assertThat(Stream.concat(Stream.of(t), Arrays.stream(t.getSuppressed())))
                        .anyMatch(said -> said.getMessage().contains("the body's own")));
        assertThat(results.testEvents().finished().stream()
                        .map(e -> e.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow())
                        .flatMap(t -> Stream.concat(Stream.of(t), Arrays.stream(t.getSuppressed())))
                        .filter(s -> s.getMessage().contains("BREACH  ITL P95")))
                .hasSize(3);
        assertThat(gates.records())
                .extracting(
                        r -> r.gate().methodName(),
                        r -> r.test().status(),
                        r -> r.judgement().status())
                .containsExactlyInAnyOrder(
                        tuple("assertion()", TestEnding.Status.FAILED, Status.BREACH),
                        tuple("exception()", TestEnding.Status.FAILED, Status.BREACH),
                        tuple("assumption()", TestEnding.Status.ABORTED, Status.BREACH),
                        tuple("failsThoughTheGatePasses()", TestEnding.Status.FAILED, Status.PASS));
    }

    @InferenceTarget(
            model = "fake:unloadable",
            target = FakeTarget.class,
            options = "openFails=the model folder is missing: say where it is")
    static class Unloadable {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void second() {}
    }

    /** Case 32. */
    @Test
    void aFailedLoadIsRememberedAndNotTriedAgain() {
        EngineExecutionResults results = gates.run(Unloadable.class);

        results.testEvents().assertStatistics(s -> s.failed(2));
        assertThat(FakeTarget.OPENED.get("fake:unloadable")).hasValue(1);
        assertThat(gates.records())
                .extracting(GateRecord::error)
                .containsExactlyInAnyOrder(
                        "the model folder is missing: say where it is",
                        "failed before in this run, and was not tried again: the model folder is missing: say where it is");
        assertThat(Gates.failure(results)).isInstanceOf(MeasurementException.class);
    }

    @InferenceTarget(model = "fake:shared", target = FakeTarget.class)
    static class Sharing {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 9, outputTokens = 3, itlP95Ms = 10)
        void second() {}
    }

    @InferenceTarget(model = "fake:shared", target = FakeTarget.class)
    static class SharingToo {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void third() {}
    }

    @Test
    void aModelIsOpenedOnceAndClosedAtTheEnd() {
        gates.run(Sharing.class, SharingToo.class).testEvents().assertStatistics(s -> s.succeeded(3));

        assertThat(FakeTarget.OPENED.get("fake:shared")).hasValue(1);
        assertThat(FakeTarget.CLOSED.get("fake:shared")).hasValue(1);
    }

    @InferenceTarget(
            model = "fake:parallel",
            target = FakeTarget.class,
            options = {"sleepMs=2"})
    static class Parallel {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 9, outputTokens = 3, itlP95Ms = 10)
        void second() {}

        @Test
        @LatencyBudget(promptTokens = 10, outputTokens = 3, itlP95Ms = 10)
        void third() {}
    }

    /** Case 30, in one JVM. */
    @Test
    void gatesOnOneDeviceNeverOverlap() {
        gates.with("junit.jupiter.execution.parallel.enabled", "true")
                .with("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .with("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .with("junit.jupiter.execution.parallel.config.fixed.parallelism", "3")
                .run(Parallel.class)
                .testEvents()
                .assertStatistics(s -> s.succeeded(3));

        assertThat(FakeTarget.MOST_RUNNING).hasValue(1);
    }

    static class WrongPlace {
        @Test
        void noGate(Measurement measurement) {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class TooEarly {
        @BeforeEach
        void before(Measurement measurement) {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    void aMeasurementIsGivenToTheBodyOfAGateOnly() {
        assertThat(gates.failure(TooEarly.class))
                .isInstanceOf(ParameterResolutionException.class)
                .hasMessageContaining("once it was measured");
        assertThat(gates.failure(WrongPlace.class)).isInstanceOf(ParameterResolutionException.class);
    }

    @InferenceTarget(model = "fake", device = "cuda:0", target = FakeTarget.class)
    static class OnAGpu {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    /** Case 20. */
    @Test
    void aGpuGateIsSkippedWhereItIsSwitchedOff() {
        EngineExecutionResults results = gates.with("latencybudget.gpu", "off").run(OnAGpu.class);

        results.testEvents().assertStatistics(s -> s.skipped(1).started(0));
        assertThat(results.testEvents().skipped().stream().map(e -> e.getRequiredPayload(String.class)))
                .containsExactly("needs cuda:0, and latencybudget.gpu = off");
    }

    @Test
    void aGpuGateRunsWhereAGpuIsRequired() {
        gates.with("latencybudget.gpu", "required")
                .run(OnAGpu.class)
                .testEvents()
                .assertStatistics(s -> s.started(1));
    }

    @InferenceTarget(device = "cuda0")
    static class OnAMisspeltGpu {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    void aMisspeltGpuFailsTheGateAndDoesNotSkipIt() {
        assertThat(gates.with("latencybudget.gpu", "off").failure(OnAMisspeltGpu.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("device = \"cuda0\" is not known: use cpu, or cuda:0 for the first GPU");
    }

    /** It reads no setting later on, and would be a green build that measured nothing. */
    @Test
    void aMisspeltSettingFailsTheGateAndDoesNotSkipIt() {
        System.setProperty("latencybudget.gpus", "required");
        try {
            assertThat(gates.with("latencybudget.gpu", "off").failure(OnAGpu.class))
                    .isInstanceOf(ExtensionConfigurationException.class)
                    .hasMessageStartingWith("`latencybudget.gpus` is not allowed; there is no such setting; ");
        } finally {
            System.clearProperty("latencybudget.gpus");
        }
    }

    @Test
    void aWrongGpuModeIsRefused() {
        assertThat(gates.with("latencybudget.gpu", "maybe").failure(OnAGpu.class))
                .hasMessage("`latencybudget.gpu = maybe` is not allowed; it is `auto`, `required` or `off`");
    }

    @Test
    void attributesLeftEmptyComeFromTheConfiguration() {
        gates.with("latencybudget.model", "fake:configured").run(Configured.class);

        assertThat(FakeTarget.OPENED).containsOnlyKeys("fake:configured");
    }

    @InferenceTarget(target = FakeTarget.class)
    static class Configured {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }
}
