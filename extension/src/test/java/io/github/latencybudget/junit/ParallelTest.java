package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gates in JUnit's parallel mode, where a test beside a measurement would be measured with it. */
class ParallelTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "sleepMs=5")
    static class Slow {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @InferenceTarget(model = "fake", device = "another", target = FakeTarget.class, options = "sleepMs=5")
    static class OnAnotherDevice {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    static class Beside {
        static int seenRunning;

        @Test
        void looksForAMeasurement() throws InterruptedException {
            for (int i = 0; i < 700 && seenRunning == 0; i++) {
                seenRunning = FakeTarget.RUNNING.get();
                TimeUnit.MILLISECONDS.sleep(2);
            }
        }
    }

    @Test
    void noOtherTestRunsBesideAGate() {
        Beside.seenRunning = 0;

        run(Slow.class, Beside.class);

        assertThat(Beside.seenRunning).isZero();
    }

    @Test
    void noGateRunsBesideAGateOnAnotherDevice() {
        FakeTarget.MOST_RUNNING.set(0);

        run(Slow.class, OnAnotherDevice.class);

        assertThat(FakeTarget.MOST_RUNNING).hasValue(1);
    }

    private void run(Class<?>... classes) {
        new Gates(output)
                .with("junit.jupiter.execution.parallel.enabled", "true")
                .with("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .with("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .with("junit.jupiter.execution.parallel.config.fixed.parallelism", "3")
                .run(classes)
                .testEvents()
                .assertStatistics(s -> s.succeeded(2));
    }
}
