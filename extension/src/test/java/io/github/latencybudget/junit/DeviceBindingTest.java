package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.TestAbortedException;

/** Limits that hold for a device, on that and on another. */
class DeviceBindingTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake:bound", target = FakeTarget.class)
    static class Bound {
        static final AtomicBoolean BODY_RAN = new AtomicBoolean();

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 1, device = "NVIDIA H200")
        void gate() {
            BODY_RAN.set(true);
        }
    }

    @Test
    void elsewhereItIsNotApplicableAndNothingIsMeasured() {
        Gates gates = new Gates(output);
        Bound.BODY_RAN.set(false);

        EngineExecutionResults results = gates.run(Bound.class);

        results.testEvents().assertStatistics(s -> s.aborted(1).succeeded(0).failed(0));
        assertThat(results.testEvents().aborted().stream()
                        .map(e -> e.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow()))
                .singleElement()
                .satisfies(
                        t -> assertThat(t)
                                .isInstanceOf(TestAbortedException.class)
                                .hasMessage(
                                        "not applicable: its limits hold for NVIDIA H200, and this device is fake device; run it there, or give this device limits of its own"));
        assertThat(Bound.BODY_RAN).isFalse();
        assertThat(gates.records()).singleElement().satisfies(r -> {
            assertThat(r.state()).isEqualTo(GateRecord.State.NOT_APPLICABLE);
            assertThat(r.skipReason()).startsWith("its limits hold for NVIDIA H200, and this device is fake device;");
            assertThat(r.measurement()).isNull();
            assertThat(r.judgement()).isNull();
            assertThat(r.times().ended()).isNotNull();
        });
    }

    @InferenceTarget(model = "fake:h200", target = FakeTarget.class, options = "deviceName=NVIDIA H200")
    static class OnTheDevice {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 1, device = "NVIDIA H200")
        void breaks() {}
    }

    @Test
    void onItTheLimitsHold() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(OnTheDevice.class)).isInstanceOf(AssertionError.class);
        assertThat(gates.records().get(0).judgement().status()).isEqualTo(Status.BREACH);
    }

    @InferenceTarget(model = "fake:h200", target = FakeTarget.class, options = "deviceName=NVIDIA H200")
    static class Named {
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 3,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minRequestTgs = 1,
                device = {"NVIDIA B200", " nvidia h200 "})
        void oneOfSeveralInAnyCase() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 1_000, device = "H200")
        void aPartOfTheName() {}
    }

    @Test
    void aDeviceIsNamedInWholeInAnyCase() {
        Gates gates = new Gates(output).with("latencybudget.options", "memoryGiB=16");

        gates.run(Named.class).testEvents().assertStatistics(s -> s.succeeded(1).aborted(1));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Nameless {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 1_000, device = " ")
        void gate() {}
    }

    @Test
    void aDeviceWithoutANameIsRefused() {
        new Gates(output)
                .assertRefused(
                        Nameless.class,
                        "@LatencyBudget on Nameless.gate: `device = \" \"` is not allowed; name a device as a record or nvidia-smi does, such as \"NVIDIA H200\", or leave it out for all");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Split {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 1_000, device = "NVIDIA H200")
        @LatencyBudget(promptTokens = 9, outputTokens = 3, ttftMs = 1_000)
        void gate() {}
    }

    @Test
    void theBudgetsOfAGateAreAboutTheSameDevices() {
        new Gates(output)
                .assertRefused(
                        Split.class,
                        "@LatencyBudget on Split.gate: `device = all devices` is not allowed; another budget of this gate says NVIDIA H200, and one gate is one run: make them equal");
    }
}
