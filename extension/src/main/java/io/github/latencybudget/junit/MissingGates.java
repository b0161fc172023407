package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.UniqueId;

/**
 * Holds a selected class against the manifest of expected gates: a gate or a rule that is gone becomes a test that fails, so that
 * the build is red and not only the report. A class that is gone as a whole is for the report, because nobody selects it.
 */
record MissingGates(Settings settings) {

    /** What is gone from one class: a test to be, by its name, and what is wrong. */
    record Missing(Class<?> type, String name, String problem) {

        UniqueId id(UniqueId engine) {
            return engine.append(MissingDescriptor.SEGMENT, type.getName()).append(RefusedDescriptor.MISSING, name);
        }
    }

    /** {@return what the manifest expects of a class, and of those in it, that is not there} */
    List<Missing> in(Class<?> type) {
        try {
            if (settings.updatesGates()) {
                return List.of();
            }
            return GateManifest.read(settings.gates())
                    .map(manifest -> compare(type, manifest))
                    .orElse(List.of());
        } catch (ExtensionConfigurationException | LinkageError e) {
            // Each gate fails with it by itself.
            return List.of();
        } catch (IllegalArgumentException e) {
            return OwnAnnotations.in(type)
                    .map(annotation -> List.of(new Missing(type, "manifest", e.getMessage())))
                    .orElse(List.of());
        }
    }

    private List<Missing> compare(Class<?> type, GateManifest manifest) {
        List<PlannedGate> expected = manifest.gates().stream()
                .filter(gate -> gate.gate().className().equals(type.getName()))
                .toList();
        if (expected.isEmpty()) {
            return List.of();
        }
        Map<GateId, Optional<List<String>>> there = new TreeMap<>();
        JupiterRules.methods(type).forEach(method -> addGates(type, method, there));
        List<Missing> missing = new ArrayList<>();
        for (PlannedGate gate : expected) {
            Optional<List<String>> rules = there.get(gate.gate());
            if (rules == null) {
                missing.add(missing(type, gate, "this gate"));
            } else {
                gate.rules().stream()
                        .filter(rule -> rules.isPresent() && !rules.get().contains(rule))
                        .forEach(rule -> missing.add(missing(type, gate, "its rule \"" + rule + "\"")));
            }
        }
        return missing;
    }

    private Missing missing(Class<?> type, PlannedGate gate, String what) {
        return new Missing(
                type,
                gate.gate().methodName() + (what.startsWith("its") ? ": " + what.substring(4) : ""),
                String.format(
                        Locale.ROOT,
                        "%s.%s: the manifest of expected gates %s has %s, and the class does not: restore it, or write the manifest anew with latencybudget.gates.update = true",
                        type.getSimpleName(),
                        gate.gate().methodName(),
                        settings.gates(),
                        what));
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
