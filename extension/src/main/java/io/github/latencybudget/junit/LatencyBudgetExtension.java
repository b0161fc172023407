package io.github.latencybudget.junit;

import io.github.latencybudget.junit.GateRun.Measured;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import java.time.Clock;
import java.time.LocalDate;
import java.util.Optional;
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
        return GpuCondition.skipReason(gate.attributes(), settings)
                .map(ConditionEvaluationResult::disabled)
                .orElseGet(
                        () -> ConditionEvaluationResult.enabled("its device is present, or missed when the gate runs"));
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        Optional<Gate> gate = gate(context);
        if (gate.isPresent()) {
            context.getStore(NAMESPACE)
                    .put(Measured.class, run(gate.get(), context).measureAlone());
        }
    }

    private static GateRun run(Gate gate, ExtensionContext context) {
        Settings settings = settings(context);
        return new GateRun(
                gate.id(),
                context.getDisplayName(),
                gate.where(),
                gate.attributes(),
                TimeLimit.of(gate.timeout()),
                () -> new BudgetReader(
                                gate, settings.target(gate.attributes()).seed(), LocalDate.now(Clock.systemUTC()))
                        .read(),
                confidence -> BaselineCheck.of(gate, settings, confidence),
                Optional.empty(),
                settings,
                SessionState.of(context));
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
        TestEnding ending = ending(context.getExecutionException());
        Failures failures = new Failures();
        failures.assertion(() -> measured.require(measured.asked().budget()));
        measured.judge(ending, failures);
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
