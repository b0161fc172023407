package io.github.latencybudget.junit;

import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.report.Report;
import io.github.latencybudget.report.ReportSummary;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records which gates a run has before any of them starts, and which are skipped, and keeps the report up to date, so that it
 * shows even a run that was killed. Found by the JUnit Platform by itself. Does nothing in runs without a gate.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class GateListener implements TestExecutionListener {

    private Optional<TestPlan> plan = Optional.empty();
    private boolean hasGates;

    /** Made by the JUnit Platform. */
    public GateListener() {}

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = Optional.of(testPlan);
        hasGates = false;
        testPlan.getRoots()
                .forEach(root -> testPlan.getDescendants(root)
                        .forEach(test -> withGate(test, (records, gate) -> {
                            hasGates = true;
                            records.plan(gate.id(), test.getDisplayName());
                        })));
        writeReport();
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skip(test, reason);
        plan.ifPresent(p -> p.getDescendants(test).forEach(inner -> skip(inner, reason)));
    }

    private void skip(TestIdentifier test, String reason) {
        withGate(test, (records, gate) -> records.skip(gate.id(), test.getDisplayName(), reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        withGate(test, (records, gate) -> writeReport());
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        writeReport()
                .ifPresent(report -> System.out.println("[latency-budget] %s: %s"
                        .formatted(report.line(), report.page().toAbsolutePath())));
        plan = Optional.empty();
    }

    private Optional<ReportSummary> writeReport() {
        return plan.filter(p -> hasGates).map(p -> {
            Settings settings = settings(p);
            return Report.write(settings.records(), settings.output());
        });
    }

    private void withGate(TestIdentifier test, BiConsumer<RecordStore, Gate> action) {
        gate(test)
                .ifPresent(gate -> plan.ifPresent(p -> action.accept(settings(p).records(), gate)));
    }

    private static Optional<Gate> gate(TestIdentifier test) {
        if (!test.isTest() || !(test.getSource().orElse(null) instanceof MethodSource source)) {
            return Optional.empty();
        }
        try {
            return Gate.find(source.getJavaClass(), source.getJavaMethod());
        } catch (ExtensionConfigurationException e) {
            // The test itself fails with it.
            return Optional.empty();
        }
    }

    private static Settings settings(TestPlan testPlan) {
        return new Settings(testPlan.getConfigurationParameters()::get);
    }
}
