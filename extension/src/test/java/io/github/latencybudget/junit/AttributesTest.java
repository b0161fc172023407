package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.metric.Metric;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** Every attribute means what it is called. */
class AttributesTest {

    @TempDir
    Path output;

    /** Case 17: a limit that can fail, and is about the right quantity. */
    @Test
    void everyLimitIsAboutItsOwnQuantity() {
        Gates gates = new Gates(output);
        gates.run(LatencyBudgetExtensionTest.EveryLimit.class, LatencyBudgetExtensionTest.EveryRate.class);

        assertThat(gates.records())
                .flatExtracting(r -> r.judgement().rules().stream()
                        .map(rule -> tuple(r.gate().methodName(), rule.metric(), rule.percentile(), rule.limit()))
                        .toList())
                .containsExactlyInAnyOrder(
                        tuple("ttft()", Metric.TTFT, 95.0, 99e6),
                        tuple("ttftPercentile()", Metric.TTFT, 50.0, 99e6),
                        tuple("itlP50()", Metric.ITL, 50.0, 9e6),
                        tuple("itlP95()", Metric.ITL, 95.0, 9e6),
                        tuple("itlP99()", Metric.ITL, 99.0, 9e6),
                        tuple("tpotP95()", Metric.TPOT, 95.0, 9e6),
                        tuple("e2eP95()", Metric.E2E, 95.0, 119e6),
                        tuple("holds()", Metric.DECODE_TGS, 95.0, 100.0),
                        tuple("holds()", Metric.REQUEST_TGS, 95.0, 55.0),
                        tuple("decodeTgs()", Metric.DECODE_TGS, 95.0, 100.1),
                        tuple("requestTgs()", Metric.REQUEST_TGS, 95.0, 55.1),
                        tuple("memory()", Metric.DECODE_TGS, 95.0, 100.0));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class MoreSure {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10, requests = 130, confidence = 0.999)
        void gate() {}
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"ttftMs=100", "itlMs=10"})
    static class LittleTime {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 11, itlP95Ms = 10, maxSeconds = 2)
        void gate() {}
    }

    /** By the target's own clock: each request takes 200 ms. */
    @Test
    void afterItsTimeAGateMeasuresNoMore() {
        assertThat(new Gates(output).failure(LittleTime.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("measured 10 of at most 200 requests")
                .hasMessageContaining("could not be shown with 95% confidence from 10 requests")
                .hasMessageContaining("needs 64 requests");
    }

    @Test
    void theConfidenceIsTheOneThatIsAskedFor() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(MoreSure.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("could not be shown with 99.9% confidence from 130 requests");
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.judgement().confidence()).isEqualTo(0.999));
    }

    static class TopP {
        @ConfigurationErrorsTest.FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 0.9,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class NoRateAtAll {
        @ConfigurationErrorsTest.FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minRequestTgs = Double.NaN)
        void gate() {}
    }

    static class NoPrompt {
        @ConfigurationErrorsTest.FakeGate
        @ThroughputBudget(
                promptTokens = {512, 0},
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class OtherRequests {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @LatencyBudget(promptTokens = 512, ttftMs = 450, requests = 100)
        void gate() {}
    }

    static class OtherConfidence {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @LatencyBudget(promptTokens = 512, ttftMs = 450, confidence = 0.9)
        void gate() {}
    }

    static class LikelyWrong {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, confidence = 0.4)
        void gate() {}
    }

    static class NoTime {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, maxSeconds = 0)
        void gate() {}
    }

    static class OtherTime {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @LatencyBudget(promptTokens = 512, ttftMs = 450, maxSeconds = 5)
        void gate() {}
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments(NoTime.class, "`maxSeconds = 0.0` is not allowed; must be above 0 and at most one day"),
                arguments(OtherTime.class, "`maxSeconds = 5.0` is not allowed; another budget of this gate says"),
                arguments(
                        TopP.class,
                        "`topP = 0.9` is not allowed; with `temperature = 0` each token is the most probable one"),
                arguments(NoRateAtAll.class, "`minRequestTgs = NaN` is not allowed; must be above 0 and finite"),
                arguments(NoPrompt.class, "`promptTokens = 0` is not allowed; a limit is bound to a prompt length"),
                arguments(OtherRequests.class, "`requests = 100` is not allowed; another budget of this gate says 200"),
                arguments(
                        OtherConfidence.class,
                        "`confidence = 0.9` is not allowed; another budget of this gate says 0.95"),
                arguments(LikelyWrong.class, "`confidence = 0.4` is not allowed; must be at least 0.5 and below 1"));
    }

    /** Case 15. */
    @ParameterizedTest
    @MethodSource("wrong")
    void whatCannotBeMeantIsRefusedByName(Class<?> fixture, String message) {
        assertThat(new Gates(output).failure(fixture))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining(message);
    }

    /** Case 20, in mode {@code auto}. */
    @Test
    void aGpuGateIsSkippedWithTheReasonWhereThereIsNoGpu() {
        Assumptions.assumeTrue(Nvml.cudaDevice(0).isEmpty(), "there is a GPU");

        EngineExecutionResults results = new Gates(output).run(LatencyBudgetExtensionTest.OnAGpu.class);

        results.testEvents().assertStatistics(s -> s.skipped(1).started(0));
        assertThat(results.testEvents().skipped().stream().map(e -> e.getRequiredPayload(String.class)))
                .containsExactly(
                        "needs cuda:0, and this machine has no NVIDIA GPU with a driver; set latencybudget.gpu = required to fail instead");
    }

    @InferenceTarget(model = "fake:crashes", target = FakeTarget.class, options = "openThrows=no such symbol")
    static class Crashing {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void second() {}
    }

    /** Case 32, for what a target throws that nobody foresaw. */
    @Test
    void everyGateHearsTheSameCauseOfAFailedLoad() {
        FakeTarget.OPENED.remove("fake:crashes");

        EngineExecutionResults results = new Gates(output).run(Crashing.class);

        results.testEvents().assertStatistics(s -> s.failed(2));
        assertThat(FakeTarget.OPENED.get("fake:crashes")).hasValue(1);
        assertThat(Gates.failures(results))
                .hasSize(2)
                .allSatisfy(t -> assertThat(t)
                        .isInstanceOf(MeasurementException.class)
                        .hasMessageContaining("the target fake:crashes could not be opened")
                        .hasRootCauseInstanceOf(UnsatisfiedLinkError.class)
                        .hasRootCauseMessage("no such symbol"));
    }
}
