package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.policy.Policy;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateManifest;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.UniqueId;

/**
 * Holds a selected class or policy against the manifest of expected gates: a gate or a rule that is gone becomes a test that fails,
 * so that the build is red and not only the report. One that is gone as a whole is for the report, because nobody selects it.
 */
record MissingGates(Settings settings) {

    /** What is gone from a class or a policy: a test to be, by its name, and what is wrong. */
    record Missing(String name, String problem) {

        UniqueId id(UniqueId parent) {
            return parent.append(RefusedDescriptor.MISSING, name);
        }
    }

    /** {@return what the manifest expects of a class that is not there} */
    List<Missing> in(Class<?> type) {
        try {
            return missing(type.getName(), type.getSimpleName(), "the class", () -> {
                Map<GateId, Optional<List<String>>> there = new TreeMap<>();
                JupiterRules.methods(type).forEach(method -> addGates(type, method, there));
                return there;
            });
        } catch (ExtensionConfigurationException | LinkageError e) {
            // Each gate fails with it by itself.
            return List.of();
        } catch (IllegalArgumentException e) {
            return OwnAnnotations.in(type)
                    .map(annotation -> List.of(new Missing("manifest", e.getMessage())))
                    .orElse(List.of());
        }
    }

    /** {@return what the manifest expects of a policy that is not there} */
    List<Missing> in(Policy policy, String location) {
        try {
            return missing(
                    location,
                    location,
                    "the policy",
                    () -> policy.targets().stream()
                            .collect(Collectors.toMap(
                                    target -> new GateId(location, target.name()),
                                    target -> Optional.of(policy.rulesOf(target).stream()
                                            .map(rule -> rule.rule().text())
                                            .toList()))));
        } catch (ExtensionConfigurationException e) {
            // Each target fails with it by itself.
            return List.of();
        } catch (IllegalArgumentException e) {
            return List.of(new Missing("manifest", e.getMessage()));
        }
    }

    /** @param there finds the gates that are there and their rules; empty where those cannot be read */
    private List<Missing> missing(
            String className, String name, String what, Supplier<Map<GateId, Optional<List<String>>>> there) {
        List<PlannedGate> expected = settings.updatesGates()
                ? List.of()
                : GateManifest.read(settings.gates()).stream()
                        .flatMap(manifest -> manifest.gates().stream())
                        .filter(gate -> gate.gate().className().equals(className))
                        .toList();
        if (expected.isEmpty()) {
            return List.of();
        }
        Map<GateId, Optional<List<String>>> found = there.get();
        List<Missing> missing = new ArrayList<>();
        for (PlannedGate gate : expected) {
            String where = name + "." + gate.gate().methodName();
            Optional<List<String>> rules = found.get(gate.gate());
            if (rules == null) {
                missing.add(new Missing(gate.gate().methodName(), problem(where, "this gate", what)));
            } else {
                gate.rules().stream()
                        .filter(rule -> rules.isPresent() && !rules.get().contains(rule))
                        .forEach(rule -> missing.add(new Missing(
                                gate.gate().methodName() + ": rule \"" + rule + "\"",
                                problem(where, "its rule \"" + rule + "\"", what))));
            }
        }
        return missing;
    }

    private String problem(String where, String gone, String what) {
        return String.format(
                Locale.ROOT,
                "%s: the manifest of expected gates %s has %s, and %s does not: restore it, or write the manifest anew with latencybudget.gates.update = true",
                where,
                settings.gates(),
                gone,
                what);
    }

    /** Rules that cannot be read are not missing: the gate fails with what is wrong. */
    private void addGates(Class<?> type, Method method, Map<GateId, Optional<List<String>>> gates) {
        try {
            Gate.find(type, method)
                    .ifPresent(gate -> gate.sides().forEach(side -> {
                        Optional<List<String>> rules;
                        try {
                            rules = Optional.of(AskedGate.read(gate, side, settings).budget().rules().stream()
                                    .map(Rule::text)
                                    .collect(Collectors.toList()));
                        } catch (ExtensionConfigurationException e) {
                            rules = Optional.empty();
                        }
                        gates.put(side.of(gate.id()), rules);
                    }));
        } catch (ExtensionConfigurationException e) {
            gates.put(Gate.id(type, method), Optional.empty());
        }
    }
}
