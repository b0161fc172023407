package io.github.latencybudget.junit;

import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.report.ReportSummary;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records which gates a test plan has before any of them starts, says at once which configurations are refused, and sees that each
 * gate ends in a state of its own, whatever ended it. Keeps the report up to date, so that it shows even a run that was killed.
 * Found by the JUnit Platform by itself. Does nothing in runs without a gate, unless a manifest expects some.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class GateListener implements TestExecutionListener {

    private Optional<TestPlan> plan = Optional.empty();
    private Optional<RecordStore.PlanFile> planFile = Optional.empty();
    private Map<UniqueId, List<PlannedTest>> gates = Map.of();
    private PacedReport report = new PacedReport(System::nanoTime);
    private boolean hasFailed;

    /** Made by the JUnit Platform. */
    public GateListener() {}

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = Optional.of(testPlan);
        planFile = Optional.empty();
        gates = new HashMap<>();
        report = new PacedReport(System::nanoTime);
        hasFailed = false;
        writing((records, settings) -> {
            List<PlannedTest> all = new ArrayList<>();
            testPlan.getRoots()
                    .forEach(root -> testPlan.getDescendants(root).forEach(test -> {
                        List<PlannedTest> ofTest = PlannedTest.of(test, testPlan, settings);
                        if (!ofTest.isEmpty()) {
                            gates.put(test.getUniqueIdObject(), ofTest);
                            all.addAll(ofTest);
                        }
                    }));
            if (!all.isEmpty() || ExpectedGates.areOfNoPlan(settings, records)) {
                start(all, records, settings);
            }
        });
        withReport(PacedReport::write);
    }

    private void start(List<PlannedTest> all, RecordStore records, Settings settings) {
        all.forEach(test -> test.problem()
                .ifPresent(problem -> Console.say(test.gate().displayName() + ": refused: " + OneLine.of(problem))));
        try {
            settings.refuseWrong();
        } catch (ExtensionConfigurationException e) {
            // Each gate fails with it when its turn comes.
            Console.say("refused: " + OneLine.of(e.getMessage()));
        }
        List<PlannedGate> planned = new ArrayList<>();
        all.forEach(test -> planned.add(test.gate()));
        Optional<List<PlannedGate>> expected = ExpectedGates.read(settings, records, planned);
        planFile = Optional.of(
                records.planned(Selection.of(System::getProperty).orElse(null), planned, expected.orElse(null)));
        all.forEach(test -> records.plan(test.gate().gate(), test.gate().displayName()));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skip(test, reason);
        plan.ifPresent(p -> p.getDescendants(test).forEach(inner -> skip(inner, reason)));
    }

    private void skip(TestIdentifier test, String reason) {
        withGates(test, (records, gate) -> records.skip(gate.gate(), gate.displayName(), reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            end(test, result);
            plan.ifPresent(p -> p.getDescendants(test).forEach(inner -> end(inner, result)));
            plan.flatMap(p -> p.getParent(test)).ifPresent(target -> end(target, result));
        }
        if (gates.containsKey(test.getUniqueIdObject())) {
            withReport((r, settings) -> {
                r.writeInPassing(settings);
                return Optional.empty();
            });
        }
    }

    /**
     * Where a constructor, @BeforeAll, @BeforeEach or another extension ended a gate, its own turn never comes; where something
     * fails its test after its verdict, the record must not say that it passed.
     */
    private void end(TestIdentifier test, TestExecutionResult result) {
        Optional<Throwable> thrown = result.getThrowable();
        String by = thrown.map(t -> " by " + t.getClass().getName()).orElse("");
        withGates(test, (records, gate) -> {
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                records.abortBeforeStart(gate.gate(), "aborted before its measurement" + by);
            } else if (thrown.filter(ExtensionConfigurationException.class::isInstance)
                    .isPresent()) {
                records.refuse(gate.gate(), OneLine.of(thrown.get().getMessage()));
            } else {
                records.failBeforeStart(gate.gate(), "the test failed before its measurement" + by);
            }
        });
        List<PlannedTest> ofTest = gates.getOrDefault(test.getUniqueIdObject(), List.of());
        if (result.getStatus() == TestExecutionResult.Status.FAILED && !ofTest.isEmpty()) {
            writing((records, settings) -> records.failAfterVerdict(
                    ofTest.stream().map(planned -> planned.gate().gate()).toList(),
                    thrown.map(t -> t.getClass().getName()).orElse(null)));
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        if (planFile.isPresent()) {
            writing((records, settings) -> {
                records.finished(planFile.get());
                ExpectedGates.update(settings, records).ifPresent(Console::say);
            });
        }
        withReport(PacedReport::write)
                .ifPresent(said -> Console.say(String.format(
                        Locale.ROOT, "%s: %s", said.line(), said.page().toAbsolutePath())));
        plan = Optional.empty();
    }

    private Optional<ReportSummary> withReport(BiFunction<PacedReport, Settings, Optional<ReportSummary>> action) {
        return plan.filter(p -> !gates.isEmpty() || planFile.isPresent())
                .flatMap(p -> action.apply(report, settings(p)));
    }

    private void withGates(TestIdentifier test, BiConsumer<RecordStore, PlannedGate> action) {
        gates.getOrDefault(test.getUniqueIdObject(), List.of())
                .forEach(planned -> writing((records, settings) -> action.accept(records, planned.gate())));
    }

    private void writing(BiConsumer<RecordStore, Settings> action) {
        plan.ifPresent(p -> {
            try {
                Settings settings = settings(p);
                action.accept(settings.records(), settings);
            } catch (UncheckedIOException | ExtensionConfigurationException e) {
                // Each gate fails with it by itself; said here once for those that are skipped.
                if (!hasFailed) {
                    Console.say(
                            e instanceof UncheckedIOException io
                                    ? IoFault.unwritable(io, "name another folder with latencybudget.output")
                                    : String.valueOf(e.getMessage()));
                }
                hasFailed = true;
            }
        });
    }

    private static Settings settings(TestPlan testPlan) {
        return Settings.of(testPlan.getConfigurationParameters());
    }
}
