package io.github.latencybudget.junit;

import io.github.latencybudget.assertj.LatencyAssertions;
import io.github.latencybudget.assertj.MeasurementAssert;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Verdict;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.device.DeviceLock;
import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import io.github.latencybudget.load.ClosedLoop;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.Progress;
import io.github.latencybudget.target.Target;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.target.llama.LlamaTarget;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Runs and judges gates: measures before the test's body, gives the body the {@link Measurement}, and judges after it. Registered
 * by {@link LatencyBudget} and {@link ThroughputBudget}.
 */
final class LatencyBudgetExtension
        implements ExecutionCondition, BeforeTestExecutionCallback, ParameterResolver, AfterTestExecutionCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(LatencyBudgetExtension.class);

    /** Of an error in a record: no more than a page. */
    private static final int MOST_CHARACTERS = 4000;

    /** What a gate has measured and has yet to be judged by. */
    private record Measured(
            Gate gate,
            ScenarioAndBudget asked,
            Optional<BaselineCheck> baseline,
            Measurement measurement,
            RecordStore.Attempt attempt) {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            return ConditionEvaluationResult.enabled("not a gate");
        }
        try {
            return gate(context)
                    .map(gate -> gpuCondition(gate, settings(context)))
                    .orElseGet(() -> ConditionEvaluationResult.enabled("not a gate"));
        } catch (ExtensionConfigurationException e) {
            return ConditionEvaluationResult.enabled("its configuration is refused when the gate runs");
        }
    }

    private static ConditionEvaluationResult gpuCondition(Gate gate, Settings settings) {
        String device = settings.device(gate);
        // What only looks like a GPU is for the target to refuse: a slip in the name is no reason to skip.
        if (!device.matches("cuda:\\d+")) {
            return ConditionEvaluationResult.enabled("needs no GPU");
        }
        return switch (settings.gpu()) {
            case REQUIRED -> ConditionEvaluationResult.enabled("latencybudget.gpu = required");
            case OFF -> ConditionEvaluationResult.disabled("needs %s, and latencybudget.gpu = off".formatted(device));
            case AUTO ->
                Nvml.cudaDevice(0).isPresent()
                        ? ConditionEvaluationResult.enabled("a GPU is present")
                        : ConditionEvaluationResult.disabled(
                                "needs %s, and this machine has no NVIDIA GPU with a driver; set latencybudget.gpu = required to fail instead"
                                        .formatted(device));
        };
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        Optional<Gate> gate = gate(context);
        if (gate.isPresent()) {
            context.getStore(NAMESPACE).put(Measured.class, measureAlone(gate.get(), context));
        }
    }

    private static Measured measureAlone(Gate gate, ExtensionContext context) {
        Settings settings = settings(context);
        String device = settings.device(gate);
        try {
            return DeviceLock.whileAloneOn(device, () -> measure(gate, settings, context));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException(
                    "interrupted while another measurement used %s: run the gate again".formatted(device), e);
        } catch (UncheckedIOException e) {
            throw new MeasurementException(unwritable(e), e);
        }
    }

    private static String unwritable(UncheckedIOException e) {
        return "%s: make the folder writable, or name another with latencybudget.output".formatted(e.getMessage());
    }

    // All of it while the device is this gate's own: to open a target or to write a report disturbs whoever measures,
    // and
    // a gate that waits has not started.
    private static Measured measure(Gate gate, Settings settings, ExtensionContext context) {
        RecordStore records = settings.records();
        RecordStore.Attempt attempt = records.start(gate.id(), context.getDisplayName());
        try {
            // Written now, so that the report of a run that is killed shows the gate as not finished.
            report(context).writeInPassing(settings);
            settings.refuseWrong(System.getProperties().stringPropertyNames());
            ScenarioAndBudget asked =
                    new BudgetReader(gate, settings.target(gate).seed()).read();
            Optional<BaselineCheck> baseline =
                    BaselineCheck.of(gate, settings, asked.budget().confidence());
            // A comparison is of a number of requests that was set before, so nothing ends its run early.
            Optional<Budget> looks = baseline.isPresent() ? Optional.empty() : Optional.of(asked.budget());
            try (ConsoleProgress progress = new ConsoleProgress(
                    System.out, gate.where(), TerminalLine.find(settings.progress()), System::nanoTime)) {
                TargetSession session =
                        opened(gate, settings, context, progress).session();
                requireDevice(asked.device(), session, attempt);
                ClosedLoop loop = new ClosedLoop(session, asked.scenario(), progress, looks, settings.guards());
                Measurement measurement = run(TimeLimit.of(gate.timeout()), loop, attempt);
                return new Measured(gate, asked, baseline, measurement, attempt);
            }
        } catch (TestAbortedException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            keep(() -> attempt.broken(OneLine.of(e, MOST_CHARACTERS))).ifPresent(e::addSuppressed);
            throw e;
        }
    }

    /** What a target says without being asked is for the measurement to refuse. */
    private static void requireDevice(DeviceBinding binding, TargetSession session, RecordStore.Attempt attempt) {
        if (binding.isToAll()) {
            return;
        }
        TargetDescription target = session.description();
        if (target == null) {
            throw new MeasurementException(
                    "the target does not describe itself, so it cannot be told whether limits for %s hold for it: correct its %s"
                            .formatted(binding, session.getClass().getName()));
        }
        binding.refusal(target.device()).ifPresent(reason -> {
            attempt.notApplicable(reason);
            throw new TestAbortedException("not applicable: " + reason);
        });
    }

    private static Measurement run(TimeLimit limit, ClosedLoop loop, RecordStore.Attempt attempt) {
        AtomicBoolean isOver = new AtomicBoolean();
        try {
            Measurement measurement = limit.within(isOver, loop::run);
            // Where this cannot be written, it is tried again with the verdict.
            keep(() -> attempt.measured(measurement));
            if (isOver.get()) {
                throw limit.over();
            }
            return measurement;
        } catch (MeasurementException e) {
            throw isOver.get() ? limit.over() : e;
        }
    }

    /** {@return why something could not be written; empty where it was} */
    private static Optional<MeasurementException> keep(Runnable write) {
        try {
            write.run();
            return Optional.empty();
        } catch (UncheckedIOException e) {
            return Optional.of(new MeasurementException(unwritable(e), e));
        }
    }

    @SuppressWarnings("deprecation") // computeIfAbsent came with JUnit 6
    private static PacedReport report(ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(PacedReport.class, k -> new PacedReport(System::nanoTime), PacedReport.class);
    }

    @SuppressWarnings("deprecation") // computeIfAbsent came with JUnit 6
    private static OpenedTarget opened(Gate gate, Settings settings, ExtensionContext context, Progress progress) {
        Class<? extends Target> type = gate.target()
                .<Class<? extends Target>>map(InferenceTarget::target)
                .orElse(LlamaTarget.class);
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(
                        new OpenedTarget.Key(type, settings.target(gate)),
                        key -> OpenedTarget.open(key, progress),
                        OpenedTarget.class);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Measurement.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Measured measured = context.getStore(NAMESPACE).get(Measured.class, Measured.class);
        if (measured == null) {
            throw new ParameterResolutionException(
                    "there is no Measurement here: it is given to a @Test method with a budget, once it was measured, and to @AfterEach after it, and to nothing that runs before");
        }
        return measured.measurement();
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Measured measured = context.getStore(NAMESPACE).get(Measured.class, Measured.class);
        if (measured != null) {
            judge(measured, context);
        }
    }

    private static void judge(Measured measured, ExtensionContext context) {
        Verdicts verdicts = measured.asked().budget().evaluate(measured.measurement());
        TestEnding ending = ending(context.getExecutionException());
        Failures failures = new Failures();
        Optional<BaselineCheck.Outcome> baseline =
                measured.baseline().map(check -> check.check(measured.measurement()));
        baseline.ifPresent(outcome -> {
            measured.attempt().compared(outcome.entry());
            outcome.problem().ifPresent(failures::broken);
        });
        // A pass that leaves no evidence cannot be signed off.
        keep(() -> measured.attempt().judged(verdicts, ending)).ifPresent(failures::broken);
        GuardNotice.of(measured.gate().where(), verdicts).forEach(System.out::println);
        Stream.concat(
                        verdicts.verdicts().stream().map(Verdict::line),
                        baseline.stream().map(outcome -> outcome.entry().line()))
                .forEach(line ->
                        System.out.println("[latency-budget] " + measured.gate().where() + ": " + line));
        MeasurementAssert run = LatencyAssertions.assertThat(measured.measurement())
                .recordedAs(measured.attempt().path());
        failures.assertion(() -> run.meets(measured.asked().budget()));
        baseline.flatMap(BaselineCheck.Outcome::comparison)
                .filter(c -> measured.baseline().orElseThrow().gating())
                .ifPresent(c -> failures.assertion(() -> run.isNotSlowerThan(
                        measured.baseline().orElseThrow().baseline().orElseThrow(), c.tolerance())));
        failures.raise(ending, context.getExecutionException());
    }

    private static TestEnding ending(Optional<Throwable> thrown) {
        if (thrown.isEmpty()) {
            return new TestEnding(TestEnding.Status.PASSED, null);
        }
        return new TestEnding(
                thrown.get() instanceof TestAbortedException ? TestEnding.Status.ABORTED : TestEnding.Status.FAILED,
                thrown.get().getClass().getName());
    }

    private static Optional<Gate> gate(ExtensionContext context) {
        return Gate.find(context.getRequiredTestClass(), context.getRequiredTestMethod());
    }

    private static Settings settings(ExtensionContext context) {
        return new Settings(context::getConfigurationParameter);
    }
}
