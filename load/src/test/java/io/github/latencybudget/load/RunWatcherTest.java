package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.device.DeviceSensor;
import io.github.latencybudget.device.ScriptedSensor;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunWatcherTest {

    private static final int WARM_UP_REQUESTS = 3;

    @Test
    void theDeviceIsWatchedWhileTheRunLastsAndNotDuringTheWarmUp() {
        ScriptedSensor sensor = new ScriptedSensor();
        CountDownLatch looked = new CountDownLatch(2);
        sensor.looked = looked::countDown;
        sensor.clockEvents = OptionalLong.of(0x20);
        // The second measured request ends only once two looks were taken.
        TargetSession session = new ScriptedSession(1, p -> {}, prompt -> {
            if (prompt < WARM_UP_REQUESTS) {
                assertThat(looked.getCount()).isEqualTo(2);
            } else if (prompt == WARM_UP_REQUESTS + 1) {
                looked.await();
            }
        });

        RunWatch watch =
                run(session, GuardSettings.DEFAULT, key -> Optional.of(sensor)).watch();

        DeviceWatch device = watch.device().orElseThrow();
        assertThat(device.source()).isEqualTo("a script");
        assertThat(device.samples()).isPositive();
        assertThat(device.slowdowns()).containsExactly(entry("heat", device.samples()));
        assertThat(device.p10SmClockMhz()).isEqualTo(OptionalInt.of(1980));
        assertThat(device.otherProcesses()).isEmpty();
        assertThat(watch.notChecked()).isEmpty();
        assertThat(watch.notApplicable())
                .containsExactly(entry(Guard.MAX_CLIENT_ERROR_SHARE, "the target has no client that reads a network"));
    }

    @Test
    void theGuardsOfAGpuAreNotAboutARunOnAnotherDevice() {
        RunWatch watch = run(fake(Map.of(), "cpu"), GuardSettings.DEFAULT, key -> Optional.empty())
                .watch();

        assertThat(watch.device()).isEmpty();
        assertThat(watch.notChecked()).isEmpty();
        assertThat(watch.notApplicable())
                .containsOnlyKeys(
                        Guard.OTHER_PROCESSES,
                        Guard.THROTTLING,
                        Guard.MIN_CLOCK_SHARE,
                        Guard.MAX_MEMORY_SHARE,
                        Guard.MAX_CLIENT_ERROR_SHARE)
                .containsValue("the run was not on a GPU of this machine");
    }

    @Test
    void withoutNvmlTheyAreNotCheckedOnAGpu() {
        RunWatch watch = run(fake(Map.of(), "cuda:0"), GuardSettings.DEFAULT, key -> Optional.empty())
                .watch();

        assertThat(watch.notApplicable()).containsOnlyKeys(Guard.MAX_CLIENT_ERROR_SHARE);
        assertThat(watch.notChecked())
                .containsOnlyKeys(
                        Guard.OTHER_PROCESSES, Guard.THROTTLING, Guard.MIN_CLOCK_SHARE, Guard.MAX_MEMORY_SHARE)
                .containsValue("NVML (libnvidia-ml) does not find cuda:0; it comes with the NVIDIA driver");
    }

    @Test
    void whereProcessesCannotBeToldThatGuardAloneIsNotChecked() {
        ScriptedSensor sensor = new ScriptedSensor();
        sensor.processIds = Optional.empty();

        assertThat(run(fake(Map.of(), "cuda:0"), GuardSettings.DEFAULT, key -> Optional.of(sensor))
                        .watch()
                        .notChecked())
                .containsExactly(entry(Guard.OTHER_PROCESSES, "the driver does not list the processes on this device"));
    }

    @Test
    void aTargetThatBecomesAnotherIsAFinding() {
        TargetSession session = fake(Map.of("changesAfter", "4"), "cpu");

        assertThat(run(session, GuardSettings.DEFAULT, key -> Optional.empty()).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.TARGET_CHANGED,
                                "the target became another during the run: its weights was scripted and is reloaded; keep it as it is while it is measured, and measure again"));
    }

    @Test
    void whatATargetDidSoFarMakesItNoOther() {
        TargetSession session = fake(Map.of(), "cpu");
        TargetDescription before = session.description();

        assertThat(run(session, GuardSettings.DEFAULT, key -> Optional.empty()).findings())
                .isEmpty();
        assertThat(session.description()).isNotEqualTo(before);
    }

    @Test
    void soIsAnotherDevice() {
        ScriptedSensor sensor = new ScriptedSensor();
        TargetSession session = new ScriptedSession(1, p -> {}, prompt -> {
            if (prompt == WARM_UP_REQUESTS + 1) {
                sensor.uuid = Optional.of("GPU-2");
            }
        });

        assertThat(run(session, GuardSettings.DEFAULT, key -> Optional.of(sensor))
                        .findings())
                .extracting(Finding::sentence)
                .containsExactly(
                        "the target became another during the run: its number of the device was GPU-1 and is GPU-2; keep it as it is while it is measured, and measure again");
    }

    @Test
    void whereThatIsSwitchedOffNobodyAsks() {
        TargetSession session = fake(Map.of("changesAfter", "4"), "cpu");
        GuardSettings off = GuardSettings.DEFAULT.without(Guard.SAME_TARGET);

        Measurement run = run(session, off, key -> Optional.empty());

        assertThat(run.findings()).isEmpty();
        assertThat(run.watch().guards()).isEqualTo(off);
    }

    @Test
    void whatATargetSaysOfItsPrefixCacheStandsWithTheRequest() {
        assertThat(run(fake(Map.of("cachedPromptTokens", "7"), "cpu"), GuardSettings.DEFAULT, key -> Optional.empty())
                        .traces())
                .extracting(TokenTrace::cachedPromptTokens)
                .containsOnly(OptionalInt.of(7));
        assertThat(run(fake(Map.of(), "cpu"), GuardSettings.DEFAULT, key -> Optional.empty())
                        .traces())
                .extracting(TokenTrace::cachedPromptTokens)
                .containsOnly(OptionalInt.empty());
    }

    private static TargetSession fake(Map<String, String> options, String device) {
        return new FakeTarget().open(new TargetSpec("fake", device, "", 1, new TreeMap<>(options)), Progress.NONE);
    }

    private static Measurement run(
            TargetSession session, GuardSettings guards, Function<String, Optional<DeviceSensor>> sensors) {
        Scenario scenario = new Scenario(
                new TreeSet<>(Set.of(8)), 3, 2, Sampling.GREEDY, 1, new WarmUpPlan(1_000_000, 0, WARM_UP_REQUESTS));
        return new LoadDriver(session, scenario, Progress.NONE, Optional.empty(), false, guards, 0, sensors).run();
    }
}
