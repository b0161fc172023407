package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs and judges gates: measures before the test's body, gives the body the {@link Measurement}, and judges after it. Registered
 * by every annotation that a gate is made of, so that one without a budget is refused.
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
        if (JUnitVersion.isTooOld()) {
            return ConditionEvaluationResult.enabled("JUnit is too old, which the gate says when it runs");
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
        return gate.sides().stream()
                .flatMap(s -> GpuCondition.skipReason(gate.attributes(s), s.of(settings)).stream())
                .findFirst()
                .map(ConditionEvaluationResult::disabled)
                .orElseGet(
                        () -> ConditionEvaluationResult.enabled("its device is present, or missed when the gate runs"));
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        if (JUnitVersion.isTooOld()) {
            throw JUnitVersion.problem();
        }
        Optional<Gate> gate = gate(context);
        if (gate.isEmpty()) {
            return;
        }
        try {
            measure(gate.get(), context);
        } catch (RuntimeException | Error e) {
            throw Thrown.visible(e);
        }
    }

    private static void measure(Gate gate, ExtensionContext context) {
        ExtensionContext.Store store = context.getStore(NAMESPACE);
        if (gate.compared().isPresent()) {
            store.put(
                    ComparedGate.Measurements.class,
                    new ComparedGate(gate, side -> run(gate, side, context)).measure());
        } else {
            store.put(MeasuredGate.class, run(gate, GateSide.WHOLE, context).measureAlone());
        }
    }

    private static GateRun run(Gate gate, GateSide side, ExtensionContext context) {
        Settings settings = settings(context);
        return new GateRun(
                side.of(gate.id()),
                side.of(context.getDisplayName()),
                side.of(gate.where()),
                gate.attributes(side),
                TimeLimit.of(gate.timeout()),
                () -> AskedGate.read(gate, side, settings),
                confidence -> BaselineCheck.of(gate, settings, confidence),
                ComparedGate.beside(gate, side, settings, SessionState.of(context)),
                Optional.empty(),
                side.of(settings),
                SessionState.of(context));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Measurement.class || type == ComparedRuns.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Optional<MeasuredGate> measured = stored(context, MeasuredGate.class);
        Optional<ComparedGate.Measurements> compared = stored(context, ComparedGate.Measurements.class);
        boolean asksForBoth = parameter.getParameter().getType() == ComparedRuns.class;
        if (measured.isEmpty() && compared.isEmpty()) {
            throw new ParameterResolutionException(String.format(
                    Locale.ROOT,
                    "there is no %s here: it is given to a @Test method with a budget, once it was measured, and to @AfterEach after it, and to nothing that runs before",
                    parameter.getParameter().getType().getSimpleName()));
        }
        if (asksForBoth != compared.isPresent()) {
            throw new ParameterResolutionException(
                    asksForBoth
                            ? "a gate without @LocalAgainstServed has one run: ask for a Measurement"
                            : "a gate with @LocalAgainstServed has two runs: ask for ComparedRuns");
        }
        return asksForBoth
                ? compared.orElseThrow().runs()
                : measured.orElseThrow().measurement();
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        stored(context, MeasuredGate.class)
                .ifPresent(measured -> judge(
                        context,
                        (ending, failures) -> measured.judge(ending, failures).failInto(failures, Optional.empty())));
        stored(context, ComparedGate.Measurements.class).ifPresent(compared -> judge(context, compared::judge));
    }

    private static void judge(ExtensionContext context, BiConsumer<TestEnding, Failures> judge) {
        TestEnding ending = context.getExecutionException()
                .map(Failures::ending)
                .orElseGet(() -> new TestEnding(TestEnding.Status.PASSED, null));
        Failures failures = new Failures();
        try {
            judge.accept(ending, failures);
            failures.raise();
        } catch (RuntimeException | Error e) {
            throw Thrown.visible(e);
        }
    }

    private static <T> Optional<T> stored(ExtensionContext context, Class<T> type) {
        return Optional.ofNullable(context.getStore(NAMESPACE).get(type, type));
    }

    private static Optional<Gate> gate(ExtensionContext context) {
        return Gate.find(context.getRequiredTestClass(), context.getRequiredTestMethod());
    }

    private static Settings settings(ExtensionContext context) {
        return new Settings(context::getConfigurationParameter, ParameterNames.of(SessionState.of(context)));
    }
}
