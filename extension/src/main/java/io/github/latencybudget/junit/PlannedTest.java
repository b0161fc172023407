package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.policy.Policy;
import io.github.latencybudget.policy.PolicyException;
import io.github.latencybudget.policy.PolicyRule;
import io.github.latencybudget.policy.PolicySource;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * One gate of a test plan.
 *
 * @param test whose turn is its turn
 * @param gate which gate, and what it has to hold
 * @param problem why its configuration is refused, in words; empty where it is not
 */
record PlannedTest(UniqueId test, PlannedGate gate, Optional<String> problem) {

    /** {@return the gates that a test is: one, one on each of its targets, or none} */
    static List<PlannedTest> of(TestIdentifier test, TestPlan plan, Settings settings) {
        Optional<GateId> ofPolicy = TargetDescriptor.gate(test.getUniqueIdObject());
        if (ofPolicy.isPresent()) {
            return List.of(ofPolicy(ofPolicy.get(), test, plan));
        }
        Optional<RefusedTest> refused = RefusedTest.of(test);
        if (refused.isPresent()) {
            return List.of(new PlannedTest(
                    test.getUniqueIdObject(),
                    new PlannedGate(refused.get().id(), refused.get().displayName(), List.of()),
                    Optional.of(refused.get().problem())));
        }
        return test.isTest() && test.getSource().orElse(null) instanceof MethodSource source
                ? ofMethod(test, source, settings)
                : List.of();
    }

    private static PlannedTest ofPolicy(GateId gate, TestIdentifier target, TestPlan plan) {
        String name = plan.getParent(target)
                .map(policy -> policy.getDisplayName() + ": " + target.getDisplayName())
                .orElse(target.getDisplayName());
        Set<String> chosen = plan.getChildren(target).stream()
                .map(rule -> rule.getUniqueIdObject().getLastSegment().getValue())
                .collect(Collectors.toSet());
        return new PlannedTest(
                target.getUniqueIdObject(), new PlannedGate(gate, name, rules(gate, chosen)), Optional.empty());
    }

    private static List<String> rules(GateId gate, Set<String> chosen) {
        try {
            return PolicySource.find(gate.className(), PolicyLocator.loader()).map(Policy::read).stream()
                    .flatMap(policy -> policy.targets().stream()
                            .filter(target -> target.name().equals(gate.methodName()))
                            .flatMap(target -> policy.rulesOf(target).stream()))
                    .filter(rule -> chosen.contains(rule.id()))
                    .map(PolicyRule::rule)
                    .map(Rule::text)
                    .toList();
        } catch (PolicyException e) {
            // It could be read when the plan was made; its own tests fail with it.
            return List.of();
        }
    }

    private static List<PlannedTest> ofMethod(TestIdentifier test, MethodSource source, Settings settings) {
        try {
            return Gate.find(source.getJavaClass(), source.getJavaMethod()).stream()
                    .flatMap(gate -> gate.sides().stream().map(side -> ofSide(test, gate, side, settings)))
                    .toList();
        } catch (JUnitException | LinkageError e) {
            // The method is not to be found, so it is no gate; JUnit itself says what is wrong with it.
            return List.of();
        }
    }

    private static PlannedTest ofSide(TestIdentifier test, Gate gate, GateSide side, Settings settings) {
        GateId id = side.of(gate.id());
        String name = side.of(test.getDisplayName());
        try {
            side.of(settings).targetType(gate.attributes(side));
            BudgetReader.ScenarioAndBudget asked = AskedGate.read(gate, side, settings);
            BaselineCheck.of(gate, settings, asked.budget().confidence());
            return new PlannedTest(
                    test.getUniqueIdObject(),
                    new PlannedGate(
                            id,
                            name,
                            asked.budget().rules().stream().map(Rule::text).toList()),
                    Optional.empty());
        } catch (ExtensionConfigurationException e) {
            return new PlannedTest(
                    test.getUniqueIdObject(), new PlannedGate(id, name, List.of()), Optional.of(e.getMessage()));
        }
    }
}
