package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The client measures itself between the warm-up and the run. */
class ClientCheckTest {

    private static final ClientCalibration FOUND =
            new ClientCalibration(1, new ClientCalibration.Step(128, 128, 1, 2), List.of());

    private final List<Long> prompts = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final ScriptedSession session = new ScriptedSession(4, p -> {}, prompts::add);

    private Measurement run(GuardSettings guards) {
        Scenario scenario =
                new Scenario(new TreeSet<>(List.of(8, 16)), 3, 2, Sampling.GREEDY, 1, new WarmUpPlan(1_000_000, 0, 3));
        return new LoadDriver(
                        session, scenario, Progress.NONE, Optional.empty(), false, guards, 0, key -> Optional.empty())
                .run();
    }

    @Test
    void theRateIsThatOfTheWarmUpAndWhatIsFoundStandsWithTheRun() {
        session.calibration = (streams, rate) -> {
            asked.add("%d at %.1f after %d".formatted(streams, rate, prompts.size()));
            return Optional.of(FOUND);
        };

        RunWatch watch = run(GuardSettings.DEFAULT).watch();

        // The clock goes on by 1 ms with each reading.
        assertThat(asked).containsExactly("1 at 1000.0 after 6");
        assertThat(watch.client()).contains(FOUND);
        assertThat(watch.notApplicable()).doesNotContainKey(Guard.MAX_CLIENT_ERROR_SHARE);
        assertThat(prompts)
                .as("one more to warm what was idle meanwhile, and other prompts than those of the run")
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void whatCouldNotBeMeasuredIsNotCheckedAndTheRunGoesOn() {
        session.calibration = (streams, rate) -> {
            throw new MeasurementException("the loopback is\nclosed");
        };

        Measurement run = run(GuardSettings.DEFAULT);

        assertThat(run.completed()).hasSize(6);
        assertThat(run.watch().client()).isEmpty();
        assertThat(run.watch().notChecked())
                .contains(entry(
                        Guard.MAX_CLIENT_ERROR_SHARE, "the client could not be calibrated: the loopback is closed"));
    }

    @Test
    void whereTheGuardIsOffNobodyAsks() {
        session.calibration = (streams, rate) -> {
            throw new AssertionError("asked");
        };

        assertThat(run(GuardSettings.DEFAULT.without(Guard.MAX_CLIENT_ERROR_SHARE))
                        .watch()
                        .client())
                .isEmpty();
    }

    @Test
    void theRateIsOneThatTheRunCanHave() {
        session.calibration = (streams, rate) -> {
            asked.add("%d at %.1f".formatted(streams, rate));
            return Optional.of(FOUND);
        };
        long ms = 1_000_000;
        List<Long> none = List.of();
        WarmUp.Series stream = new WarmUp.Series(8, 32, List.of(90 * ms), List.of(20 * ms, 10 * ms), true);
        WarmUp.Series whole = new WarmUp.Series(8, 32, none, none, true, List.of(500 * ms));
        WarmUp.Series oneChunk = new WarmUp.Series(8, 32, List.of(500 * ms), none, true);
        WarmUp.Series allAtOnce = new WarmUp.Series(8, 32, List.of(500 * ms), List.of(0L), true);

        for (WarmUp.Series series : List.of(stream, whole, oneChunk, allAtOnce)) {
            ClientCheck.of(
                    session,
                    3,
                    new WarmUp(0.1, 0, List.of(series)),
                    Optional.empty(),
                    GuardSettings.DEFAULT,
                    Progress.NONE);
        }

        assertThat(asked).containsExactly("3 at 300.0", "3 at 6.0", "3 at 6.0", "3 at 192.0");
    }

    /** 5 ms of an ITL alone, 45 ms of a TTFT alone: whoever is judged with the larger one wants to know the rate up to which it holds. */
    @Test
    void theClientIsTriedAsFarAsTheLargestLimitAllows() {
        WarmUp warmUp =
                new WarmUp(0.1, 0, List.of(new WarmUp.Series(8, 32, List.of(90_000_000L), List.of(10_000_000L), true)));
        Budget budget = Budget.of(
                LatencyRule.itl(Percentile.P95, Duration.ofMillis(50)),
                LatencyRule.ttft(PromptLength.exactly(8), Percentile.P95, Duration.ofMillis(450)));

        ClientCheck.of(session, 1, warmUp, Optional.of(budget), GuardSettings.DEFAULT, Progress.NONE);
        assertThat(session.mostClientErrorNanos).isEqualTo(45_000_000);

        GuardSettings looser = GuardSettings.DEFAULT.with(Guard.MAX_CLIENT_ERROR_SHARE, 0.5);
        ClientCheck.of(session, 1, warmUp, Optional.of(budget), looser, Progress.NONE);
        assertThat(session.mostClientErrorNanos).isEqualTo(225_000_000);

        Budget rate = Budget.of(LatencyRule.tpot(Percentile.P95, Duration.ofMillis(450)));
        ClientCheck.of(session, 1, warmUp, Optional.of(rate), looser, Progress.NONE);
        assertThat(session.mostClientErrorNanos).isEqualTo(ClientCalibration.LEAST_END_NANOS);
    }

    @Test
    void theBudgetOfARunIsWhatItsClientIsTriedFor() {
        session.calibration = (streams, rate) -> Optional.of(FOUND);
        Scenario scenario =
                new Scenario(new TreeSet<>(List.of(8)), 3, 2, Sampling.GREEDY, 1, new WarmUpPlan(1_000_000, 0, 3));
        Budget budget = Budget.of(LatencyRule.e2e(Percentile.P95, Duration.ofSeconds(2)));

        Measurement all = new LoadDriver(
                        session, scenario, Progress.NONE, Optional.of(budget), true, GuardSettings.DEFAULT, 0)
                .run();

        assertThat(session.mostClientErrorNanos).isEqualTo(200_000_000);
        assertThat(all.completed()).hasSize(3);
    }

    @Test
    void anOpenLoopIsCalibratedForAllThatWillBeInFlight() {
        session.calibration = (streams, rate) -> {
            asked.add("%d".formatted(streams));
            return Optional.of(FOUND);
        };
        ScriptedSession wide = new ScriptedSession(1_000, p -> {}, prompts::add);
        wide.calibration = session.calibration;
        Load.Open load = new Load.Open(new Arrivals.Constant(50_000), OptionalInt.empty(), 100);
        Scenario scenario = new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                3,
                Optional.empty(),
                2,
                Sampling.GREEDY,
                load,
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));

        new LoadDriver(
                        wide,
                        scenario,
                        Progress.NONE,
                        Optional.empty(),
                        false,
                        GuardSettings.DEFAULT,
                        0,
                        key -> Optional.empty())
                .run();

        // One by itself takes 2 ms: two tokens, and the clock goes on by 1 ms with each.
        assertThat(asked).containsExactly("100");
    }
}
