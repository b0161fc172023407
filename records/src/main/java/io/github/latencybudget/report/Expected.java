package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.PlanRecord;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the manifest of expected gates asks of one run, held against its test plans: all of them together, because forks, shards and
 * the plugins of a build each run a part.
 *
 * @param hasManifest whether any plan had a manifest
 * @param selections which tests were asked for, where a plan left some out
 * @param gates what the manifest asks for, by gate
 * @param planned what the plans have, by gate
 */
record Expected(
        boolean hasManifest,
        List<String> selections,
        Map<GateId, PlannedGate> gates,
        Map<GateId, PlannedGate> planned) {

    static Expected of(List<PlanRecord> plans) {
        List<List<PlannedGate>> manifests = plans.stream()
                .map(PlanRecord::expected)
                .filter(Objects::nonNull)
                .toList();
        return new Expected(
                !manifests.isEmpty(),
                plans.stream()
                        .map(PlanRecord::selection)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList(),
                byGate(manifests),
                byGate(plans.stream().map(PlanRecord::gates).toList()));
    }

    private static Map<GateId, PlannedGate> byGate(List<List<PlannedGate>> lists) {
        Map<GateId, PlannedGate> gates = new TreeMap<>();
        lists.forEach(list -> list.forEach(gate -> gates.merge(gate.gate(), gate, PlannedGate::and)));
        return gates;
    }

    boolean isPart() {
        return !selections.isEmpty();
    }

    /** {@return whether only a part of the manifest was run} */
    boolean isReservation() {
        return hasManifest && isPart() && (!notPlanned().isEmpty() || rulesNotPlanned() > 0);
    }

    /** {@return the gates that the manifest has and no plan} */
    List<PlannedGate> notPlanned() {
        return gates.values().stream()
                .filter(gate -> !planned.containsKey(gate.gate()))
                .toList();
    }

    /** {@return how many rules the manifest has that the plans have not, of gates that they have} */
    private int rulesNotPlanned() {
        return gates.keySet().stream().mapToInt(gate -> lost(gate).size()).sum();
    }

    private List<String> lost(GateId gate) {
        return gates.containsKey(gate) && planned.containsKey(gate)
                ? without(gates.get(gate).rules(), planned.get(gate).rules())
                : List.of();
    }

    /** {@return the rules of a gate that the manifest has and the plan has not, in words; empty where none is missing} */
    Optional<String> lostRules(GateId gate) {
        List<String> lost = lost(gate);
        return isPart() || lost.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "Missing: the manifest of expected gates has %s, and the gate does not: restore %s, or write the manifest anew.",
                        quoted(lost),
                        lost.size() == 1 ? "it" : "them"));
    }

    /** {@return what the plans have beyond the manifest: whole gates, and rules of others; in words} */
    List<String> beyondManifest() {
        List<String> beyond = new ArrayList<>();
        if (hasManifest) {
            planned.forEach((id, gate) -> {
                if (!gates.containsKey(id)) {
                    beyond.add(id.toString());
                } else {
                    without(gate.rules(), gates.get(id).rules()).forEach(rule -> beyond.add(id + ": " + rule));
                }
            });
        }
        return beyond;
    }

    /** {@return the manifest and what became of it, in one sentence} */
    String text() {
        if (!hasManifest) {
            return "none: a gate that was deleted would not be noticed";
        }
        int missing = notPlanned().size();
        int rules = rulesNotPlanned();
        String counted = String.format(
                Locale.ROOT,
                "%d of %d expected gate%s planned%s",
                gates.size() - missing,
                gates.size(),
                gates.size() == 1 ? "" : "s",
                rules == 0 ? "" : String.format(Locale.ROOT, ", %d rule%s of them not", rules, rules == 1 ? "" : "s"));
        return isPart()
                ? String.format(Locale.ROOT, "a part of the manifest: %s (%s)", counted, String.join("; ", selections))
                : counted;
    }

    private static List<String> without(List<String> rules, List<String> others) {
        return rules.stream().filter(rule -> !others.contains(rule)).toList();
    }

    private static String quoted(List<String> rules) {
        return rules.stream().map(rule -> "\"" + rule + "\"").collect(Collectors.joining(" and "));
    }
}
