package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.PlanRecord;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What all renderings of a report are made from. Each gate of a test plan and each that the manifest expects is in it, whether it
 * has a record or not.
 *
 * @param gates what needs a reader's attention first, then by name
 * @param counts how many gates have each status; every status has a count
 * @param expected the manifest and the test plans of each run, by run
 */
record RunReport(
        Records source, List<Gate> gates, SortedMap<GateStatus, Integer> counts, SortedMap<String, Expected> expected) {

    static RunReport of(Records source) {
        List<PlanRecord> plans =
                source.plans().stream().map(RecordStore.PlanFile::content).toList();
        SortedMap<String, Expected> expected = new TreeMap<>();
        plans.stream()
                .collect(Collectors.groupingBy(plan -> plan.source().run()))
                .forEach((run, ofRun) -> expected.put(run, Expected.of(ofRun)));
        List<Gate> gates = new Rows(source, plans, expected)
                .gates().stream().sorted(Comparator.comparing(Gate::status)).toList();
        Map<GateStatus, Integer> counts = new EnumMap<>(GateStatus.class);
        Stream.of(GateStatus.values()).forEach(s -> counts.put(s, 0));
        gates.forEach(g -> counts.merge(g.status(), 1, Integer::sum));
        return new RunReport(source, gates, Collections.unmodifiableSortedMap(new TreeMap<>(counts)), expected);
    }

    /** Finds the gates of a report. */
    private static final class Rows {

        private final SortedMap<String, Expected> expected;
        private final TestPlans plans;
        private final SortedMap<GateKey, List<GateAttempt>> attempts = new TreeMap<>();
        private final Map<GateKey, String> names = new HashMap<>();
        private final SortedSet<String> runs = new TreeSet<>();
        private final SortedSet<String> origins = new TreeSet<>();

        private Rows(Records source, List<PlanRecord> plans, SortedMap<String, Expected> expected) {
            this.expected = expected;
            this.plans = new TestPlans(plans);
            source.records().stream().map(GateAttempt::of).forEach(attempt -> {
                GateKey key = GateKey.of(attempt.record());
                add(key, attempt.record().displayName()).add(attempt);
            });
            for (PlanRecord plan : plans) {
                plan.gates().forEach(gate -> add(GateKey.of(gate.gate(), plan.source()), gate.displayName()));
                Expected ofRun = expected.get(plan.source().run());
                if (!ofRun.isPart()) {
                    ofRun.notPlanned()
                            .forEach(gate ->
                                    add(new GateKey(gate.gate(), plan.source().run(), ""), gate.displayName()));
                }
            }
        }

        private List<GateAttempt> add(GateKey key, String name) {
            names.put(key, name);
            runs.add(key.run());
            if (!key.origin().isEmpty()) {
                origins.add(key.origin());
            }
            return attempts.computeIfAbsent(key, k -> new ArrayList<>());
        }

        private List<Gate> gates() {
            return attempts.entrySet().stream()
                    .map(e -> new Gate(
                            e.getKey(),
                            names.get(e.getKey()),
                            place(e.getKey(), e.getValue()),
                            e.getValue(),
                            lack(e.getKey(), e.getValue())))
                    .toList();
        }

        private Optional<String> lack(GateKey key, List<GateAttempt> attempts) {
            if (key.origin().isEmpty()) {
                return Optional.of(
                        "Missing: the manifest of expected gates has it, and no test plan does: restore the gate, or write the manifest anew.");
            }
            return plans.lack(key, attempts)
                    .or(() -> Optional.ofNullable(expected.get(key.run())).flatMap(e -> e.lostRules(key.gate())));
        }

        private String place(GateKey key, List<GateAttempt> attempts) {
            List<String> parts = new ArrayList<>();
            if (runs.size() > 1) {
                parts.add("run " + key.run());
            }
            if (origins.size() > 1 && !key.origin().isEmpty()) {
                String device = attempts.stream()
                        .flatMap(a -> a.measurement().stream())
                        .map(m -> m.conditions().device() + ", ")
                        .findFirst()
                        .orElse("");
                parts.add(device + "machine " + key.origin());
            }
            return String.join(", ", parts);
        }
    }

    /** {@return how many gates fail, each in a way of its own} */
    int failing() {
        return sum(GateStatus::fails);
    }

    private int sum(Predicate<GateStatus> which) {
        return counts.entrySet().stream()
                .filter(c -> which.test(c.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** {@return whether a test plan has not come to its end} */
    boolean isRunning() {
        return source.plans().stream().anyMatch(plan -> plan.content().finished() == null);
    }

    /** {@return the gates of other runs in the folder that this run has not measured again} */
    SortedSet<GateId> leftOut() {
        SortedSet<GateId> leftOut = new TreeSet<>(source.leftOut().gates());
        gates.forEach(gate -> leftOut.remove(gate.key().gate()));
        return leftOut;
    }

    ReportStatus status() {
        if (counts.get(GateStatus.BREACHED) > 0) {
            return ReportStatus.BREACHED;
        }
        if (isRunning()) {
            return ReportStatus.RUNNING;
        }
        if (failing() > 0 || !source.unreadable().isEmpty()) {
            return ReportStatus.NOT_SHOWN;
        }
        if (counts.get(GateStatus.SKIPPED) + counts.get(GateStatus.NOT_APPLICABLE) == gates.size()) {
            return ReportStatus.NOTHING_MEASURED;
        }
        if (counts.get(GateStatus.WAIVED) > 0) {
            return ReportStatus.WAIVED;
        }
        return counts.get(GateStatus.PASSED) == gates.size()
                        && leftOut().isEmpty()
                        && expected.values().stream().noneMatch(Expected::isReservation)
                ? ReportStatus.PASSED
                : ReportStatus.PASSED_WITH_RESERVATIONS;
    }

    /** {@return the result as a whole, in words} */
    String headline() {
        return Headline.of(this);
    }

    /** {@return such as {@code 4 gates: 2 passed, 1 breached, 1 inconclusive, 0 skipped}} */
    String line() {
        String line = counts.entrySet().stream()
                .filter(c -> c.getValue() > 0 || c.getKey().isAlwaysCounted())
                .sorted(Comparator.comparing(c -> c.getKey() != GateStatus.PASSED))
                .map(c -> c.getValue() + " " + c.getKey().participle())
                .collect(Collectors.joining(", ", gateCount() + ": ", ""));
        int unreadable = source.unreadable().size();
        return unreadable == 0
                ? line
                : String.format(
                        Locale.ROOT, "%s; %d record%s unreadable", line, unreadable, unreadable == 1 ? "" : "s");
    }

    String gateCount() {
        return gates.size() + (gates.size() == 1 ? " gate" : " gates");
    }
}
