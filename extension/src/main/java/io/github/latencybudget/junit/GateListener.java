package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.report.ReportSummary;
import io.github.latencybudget.trace.OneLine;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
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
    private PacedReport report = new PacedReport(System::nanoTime);
    private boolean hasGates;
    private boolean hasFailed;

    /** A gate and its name for people. */
    private record Named(GateId id, String name) {}

    /** Made by the JUnit Platform. */
    public GateListener() {}

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = Optional.of(testPlan);
        report = new PacedReport(System::nanoTime);
        hasGates = false;
        hasFailed = false;
        testPlan.getRoots()
                .forEach(root -> testPlan.getDescendants(root)
                        .forEach(test -> withGates(test, (records, gate) -> {
                            hasGates = true;
                            records.plan(gate.id(), gate.name());
                        })));
        withReport(PacedReport::write);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        skip(test, reason);
        plan.ifPresent(p -> p.getDescendants(test).forEach(inner -> skip(inner, reason)));
    }

    private void skip(TestIdentifier test, String reason) {
        withGates(test, (records, gate) -> records.skip(gate.id(), gate.name(), reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            endBeforeStart(test, result);
            plan.ifPresent(p -> p.getDescendants(test).forEach(inner -> endBeforeStart(inner, result)));
        }
        withGates(
                test,
                (records, gate) -> withReport((r, settings) -> {
                    r.writeInPassing(settings);
                    return Optional.empty();
                }));
    }

    /** Where a constructor, @BeforeAll, @BeforeEach or another extension ended a gate, its own turn never comes. */
    private void endBeforeStart(TestIdentifier test, TestExecutionResult result) {
        String by =
                result.getThrowable().map(t -> " by " + t.getClass().getName()).orElse("");
        withGates(test, (records, gate) -> {
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                records.abortBeforeStart(gate.id(), "aborted before its measurement" + by);
            } else {
                records.failBeforeStart(gate.id(), "the test failed before its measurement" + by);
            }
        });
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        withReport(PacedReport::write)
                .ifPresent(report -> System.out.println(String.format(
                        Locale.ROOT,
                        "[latency-budget] %s: %s",
                        report.line(),
                        report.page().toAbsolutePath())));
        plan = Optional.empty();
    }

    private Optional<ReportSummary> withReport(BiFunction<PacedReport, Settings, Optional<ReportSummary>> action) {
        return plan.filter(p -> hasGates).flatMap(p -> action.apply(report, settings(p)));
    }

    private void withGates(TestIdentifier test, BiConsumer<RecordStore, Named> action) {
        gates(test)
                .forEach(gate -> plan.ifPresent(p -> {
                    try {
                        action.accept(settings(p).records(), gate);
                    } catch (UncheckedIOException | ExtensionConfigurationException e) {
                        // Each gate fails with it by itself; said here once for those that are skipped.
                        if (!hasFailed) {
                            System.out.println("[latency-budget] " + OneLine.of(String.valueOf(e.getMessage())));
                        }
                        hasFailed = true;
                    }
                }));
    }

    /** {@return a test's name for people; of a policy's target with that of the policy} */
    private String name(TestIdentifier test) {
        String name = test.getDisplayName();
        return test.isTest()
                ? name
                : plan.flatMap(p -> p.getParent(test))
                        .map(policy -> policy.getDisplayName() + ": " + name)
                        .orElse(name);
    }

    /** {@return the gates that a test is: one, or one on each of its targets} */
    private List<Named> gates(TestIdentifier test) {
        Optional<GateId> ofPolicy = TargetDescriptor.gate(test.getUniqueIdObject());
        if (ofPolicy.isPresent()) {
            return List.of(new Named(ofPolicy.get(), name(test)));
        }
        if (!test.isTest() || !(test.getSource().orElse(null) instanceof MethodSource source)) {
            return List.of();
        }
        try {
            return Gate.find(source.getJavaClass(), source.getJavaMethod()).stream()
                    .flatMap(g -> g.sides().stream().map(s -> new Named(s.of(g.id()), s.of(name(test)))))
                    .toList();
        } catch (ExtensionConfigurationException e) {
            // The test itself fails with it.
            return List.of();
        }
    }

    private static Settings settings(TestPlan testPlan) {
        return Settings.of(testPlan.getConfigurationParameters());
    }
}
