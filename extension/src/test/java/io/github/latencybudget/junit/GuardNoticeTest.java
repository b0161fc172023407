package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class GuardNoticeTest {

    private static final Rule ITL = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));

    @Test
    void whatCannotBeCheckedOnAGpuIsSaidOnce() {
        Verdicts verdicts = judged("cuda:997", GuardSettings.DEFAULT);

        assertThat(GuardNotice.of("Chat.gate", verdicts))
                .containsExactly(
                        "not checked: other-processes, throttling, min-clock-share, max-memory-share: NVML (libnvidia-ml) does not find cuda:997; it comes with the NVIDIA driver");
        assertThat(GuardNotice.of("Chat.other", verdicts)).isEmpty();
    }

    @Test
    void whatIsSwitchedOffIsSaidOfEachGateAndNotAsUnchecked() {
        GuardSettings settings = GuardSettings.DEFAULT
                .without(Guard.OTHER_PROCESSES)
                .without(Guard.THROTTLING)
                .without(Guard.MIN_CLOCK_SHARE)
                .with(Guard.MAX_MEMORY_SHARE, 0.99);

        for (String gate : new String[] {"Chat.gate", "Chat.other"}) {
            assertThat(GuardNotice.of(gate, judged("cuda:998", settings)))
                    .startsWith(
                            "%s: guards set by hand: other-processes = off, throttling = off, min-clock-share = off, max-memory-share = 0.99"
                                    .formatted(gate));
        }
    }

    @Test
    void aClientThatCouldNotMeasureItselfIsSaidOnce() {
        Measurement run = judged("cpu", GuardSettings.DEFAULT).measurement();
        Verdicts verdicts = Budget.of(ITL)
                .evaluate(new Measurement(
                        run.conditions(),
                        run.environment(),
                        run.warmUp(),
                        run.traces(),
                        run.peakDeviceMemoryBytes(),
                        run.findings(),
                        run.steps(),
                        new RunWatch(
                                GuardSettings.DEFAULT,
                                Optional.empty(),
                                new TreeMap<>(Map.of(Guard.MAX_CLIENT_ERROR_SHARE, "the loopback is closed")),
                                new TreeMap<>(),
                                Optional.empty(),
                                Optional.empty())));

        assertThat(GuardNotice.of("Chat.gate", verdicts))
                .containsExactly("not checked: max-client-error-share: the loopback is closed");
        assertThat(GuardNotice.of("Chat.other", verdicts)).isEmpty();
    }

    @Test
    void onAProcessorNothingIsSaid() {
        assertThat(GuardNotice.of("Chat.gate", judged("cpu", GuardSettings.DEFAULT)))
                .isEmpty();
    }

    private static Verdicts judged(String device, GuardSettings guards) {
        Scenario scenario =
                new Scenario(new TreeSet<>(Set.of(8)), 3, 2, Sampling.GREEDY, 1, new WarmUpPlan(1_000_000, 0, 3));
        TargetSpec spec = new TargetSpec("fake", device, "", 1, new TreeMap<>());
        return Budget.of(ITL)
                .evaluate(new LoadDriver(
                                new FakeTarget().open(spec, Progress.NONE),
                                scenario,
                                Progress.NONE,
                                Optional.empty(),
                                false,
                                guards,
                                0)
                        .run());
    }
}
