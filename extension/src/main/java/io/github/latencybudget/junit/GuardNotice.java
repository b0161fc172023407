package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.RunWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Says on the console which guards did not watch a gate: those that were switched off, each time, those that could not, once. */
final class GuardNotice {

    // What is missing on a machine is missing for every gate and every engine in this JVM.
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    private GuardNotice() {}

    static List<String> of(String where, Verdicts verdicts) {
        List<String> lines = new ArrayList<>();
        List<String> byHand = verdicts.guardsSetByHand();
        if (!byHand.isEmpty()) {
            lines.add(String.format(Locale.ROOT, "%s: guards set by hand: %s", where, String.join(", ", byHand)));
        }
        blind(verdicts.measurement().watch()).stream().filter(SAID::add).forEach(lines::add);
        return lines;
    }

    private static List<String> blind(RunWatch watch) {
        Map<String, List<String>> guardsByReason = watch.notChecked().entrySet().stream()
                .filter(e -> isOfMachine(e.getKey()) && watch.guards().isOn(e.getKey()))
                .collect(Collectors.groupingBy(
                        Map.Entry<Guard, String>::getValue,
                        Collectors.mapping(e -> e.getKey().label(), Collectors.toList())));
        return guardsByReason.entrySet().stream()
                .map(e ->
                        String.format(Locale.ROOT, "not checked: %s: %s", String.join(", ", e.getValue()), e.getKey()))
                .sorted()
                .toList();
    }

    private static boolean isOfMachine(Guard guard) {
        return guard.readsDevice() || guard == Guard.MAX_CLIENT_ERROR_SHARE;
    }
}
