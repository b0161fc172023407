package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.SweepEntry.StepEntry;
import io.github.latencybudget.report.Report;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps of which a later step cannot be measured. */
class SweepBrokenOffTest {

    private static final String GONE =
            "the sweep broke off at concurrency 3: a request with a prompt of 8 tokens could not be prepared (java.lang.IllegalStateException: the server is gone): see what the target says to it";

    private static final Budget BUDGET = new Budget(
            List.of(LatencyRule.ttft(PromptLength.exactly(8), Percentile.P50, Duration.ofMillis(500))),
            new Confidence(0.5));

    private static final Scenario SCENARIO = new Scenario(
            new TreeSet<>(Set.of(8)),
            Prompts.IN_TURN,
            10,
            Optional.empty(),
            3,
            Sampling.GREEDY,
            new Load.Closed(1),
            WarmUpPlan.DEFAULT);

    @TempDir
    Path output;

    static class GoneAtTheThirdStep {
        @Test
        @InferenceTarget(
                model = "fake:gone",
                target = FakeTarget.class,
                options = {"slowerByMs=0.001", "breaksAfterSteps=2", "maxConcurrency=4"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 500)
        @LoadSweep(
                concurrency = {1, 2, 3, 4},
                atLeast = 4,
                stopAtBreach = false)
        void gate() {}
    }

    private GateRecord measured() {
        Gates gates = new Gates(output).with("latencybudget.guards.max-drift", "off");
        assertThat(gates.failure(GoneAtTheThirdStep.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(GONE);
        return gates.records().get(0);
    }

    @Test
    void theStepsBeforeItStayInTheRecord() {
        GateRecord record = measured();

        assertThat(record.error()).contains(GONE);
        assertThat(record.judgement()).as("of the gate").isNull();
        assertThat(record.sweep().planned()).containsExactly(1.0, 2.0, 3.0, 4.0);
        assertThat(record.sweep().steps()).extracting(StepEntry::load).containsExactly(1.0, 2.0);
        assertThat(record.sweep().steps())
                .extracting(s -> s.judgement().status())
                .containsExactly(Status.PASS, Status.BREACH);
        assertThat(record.sweep().steps().get(0).measurement().concurrency()).isEqualTo(1);
        assertThat(record.measurement().concurrency()).isEqualTo(2);
    }

    @Test
    void theReportShowsThemBesideTheError() throws IOException {
        measured();

        Report.write(new RecordStore(output.resolve("records"), "test", Clock.systemUTC()), output);

        Element gate =
                Jsoup.parse(output.resolve("index.html").toFile(), "UTF-8").selectFirst("section.gate");
        assertThat(gate.selectFirst(".badge").text()).isEqualTo("ERROR");
        assertThat(gate.selectFirst(".remark").text()).contains(GONE);
        assertThat(gate.select("table.sweep tbody tr td:first-child").eachText())
                .containsExactly("concurrency 1", "concurrency 2");
        String said =
                "the highest load that was shown to hold so far is concurrency 1; it has to hold up to concurrency 4; concurrency 3, concurrency 4 were not measured";
        assertThat(gate.text()).contains("T" + said.substring(1) + ".");
        assertThat(Files.readString(output.resolve("summary.md"))).contains("Sweep: " + said);
    }

    @Test
    void aStepThatIsCalledOffStaysAndShowsNothing() {
        SweepPlan plan = new SweepPlan(Sweep.Unit.CONCURRENCY, List.of(1.0, 2.0, 3.0), 3, true, true, 0);
        List<SweepRun> soFar = new ArrayList<>();

        try {
            assertThatExceptionOfType(MeasurementException.class)
                    .isThrownBy(() -> SweepRun.of(plan, SCENARIO, BUDGET, interruptedAtTwo(), soFar::add))
                    .withMessage("the sweep was interrupted at concurrency 2: run the gate again");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }

        assertThat(soFar).hasSize(2);
        Sweep sweep = soFar.get(1).sweep();
        assertThat(sweep.steps()).extracting(Sweep.Step::status).containsExactly(Status.PASS, Status.INCONCLUSIVE);
        assertThat(sweep.steps().get(1).measurement().findings())
                .containsExactly(new Finding(
                        Finding.Kind.INTERRUPTED,
                        "the run was interrupted after 40 of 40 requests: run the gate again"));
    }

    private static SweepRun.Measuring interruptedAtTwo() {
        TargetSession session = new FakeTarget()
                .open(
                        new TargetSpec("fake:interrupted", "cpu", "", 1, new TreeMap<>(Map.of("maxConcurrency", "3"))),
                        Progress.NONE);
        Thread caller = Thread.currentThread();
        return (scenario, firstPrompt) -> new LoadDriver(
                        session,
                        scenario,
                        (phase, done, of, unit) -> {
                            if (scenario.concurrency() == 2 && phase.equals("measuring") && done == of) {
                                caller.interrupt();
                            }
                        },
                        Optional.of(BUDGET),
                        true,
                        GuardSettings.DEFAULT,
                        firstPrompt)
                .run();
    }
}
