package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GpuWatchTest {

    private static final WarmUpPlan THREE_RUNS = new WarmUpPlan(1_000_000, 0, 3);

    /** This JVM computes on the GPU, and is no other process. */
    @Tag("gpu")
    @Test
    void aRunOnAGpuIsWatched() {
        Models.assumeCuda();
        try (LlamaSession session = Models.open("synthetic:tiny", "cuda:0", "")) {
            Scenario scenario = new Scenario(new TreeSet<>(Set.of(64)), 40, 64, Sampling.GREEDY, 1, THREE_RUNS);

            RunWatch watch =
                    new LoadDriver(session, scenario, Progress.NONE).run().watch();

            DeviceWatch device = watch.device().orElseThrow();
            assertThat(device.samples()).isPositive();
            assertThat(device.maxSmClockMhz().orElseThrow()).isPositive();
            assertThat(device.p10SmClockMhz().orElseThrow())
                    .isBetween(1, device.maxSmClockMhz().orElseThrow());
            assertThat(device.peakUsedBytes().orElseThrow())
                    .isBetween(1L, device.totalBytes().orElseThrow());
            assertThat(device.otherProcesses())
                    .noneMatch(p -> p.contains("(pid " + ProcessHandle.current().pid() + ")"));
            assertThat(watch.notApplicable()).containsOnlyKeys(Guard.MAX_CLIENT_ERROR_SHARE);
            assertThat(watch.notChecked().keySet()).isSubsetOf(Guard.OTHER_PROCESSES);
        }
    }
}
