package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What all renderings of a report are made from.
 *
 * @param gates what needs a reader's attention first, then by name
 */
record RunReport(Records source, List<Gate> gates, SortedMap<GateStatus, Integer> counts) {

    private static final Set<GateStatus> SHOWN = Set.of(
            GateStatus.PASSED,
            GateStatus.PASSED_ON_RERUN,
            GateStatus.BASELINE_STORED,
            GateStatus.PARTLY_APPLICABLE,
            GateStatus.PARTLY_SELECTED,
            GateStatus.WAIVED,
            GateStatus.NOT_APPLICABLE,
            GateStatus.SKIPPED);

    private static final List<GateStatus> MOST_URGENT_FIRST = List.of(
            GateStatus.BREACHED,
            GateStatus.INCONCLUSIVE,
            GateStatus.ERROR,
            GateStatus.INTERRUPTED,
            GateStatus.NOT_FINISHED,
            GateStatus.NOT_RUN,
            GateStatus.TEST_NOT_PASSED,
            GateStatus.UNUSED_WAIVER,
            GateStatus.WAIVED,
            GateStatus.PASSED_ON_RERUN,
            GateStatus.BASELINE_STORED,
            GateStatus.PARTLY_APPLICABLE,
            GateStatus.PARTLY_SELECTED,
            GateStatus.NOT_APPLICABLE,
            GateStatus.SKIPPED,
            GateStatus.PASSED);

    /** {@return the report of the run that was planned last} */
    static RunReport ofNewest(RecordStore store) {
        Optional<String> newest = store.read(Optional.empty()).records().stream()
                .map(RecordStore.RecordFile::content)
                .max(Comparator.comparing((GateRecord r) -> r.times().planned()).thenComparing(GateRecord::run))
                .map(GateRecord::run);
        return of(store.read(newest));
    }

    static RunReport of(Records source) {
        Map<GateId, List<GateAttempt>> attempts = source.records().stream()
                .map(GateAttempt::of)
                .collect(Collectors.groupingBy(a -> a.record().gate(), TreeMap::new, Collectors.toList()));
        List<Gate> gates = attempts.entrySet().stream()
                .map(e -> new Gate(e.getKey(), e.getValue()))
                .sorted(Comparator.comparing(g -> MOST_URGENT_FIRST.indexOf(g.status())))
                .toList();
        Map<GateStatus, Integer> counts = new EnumMap<>(GateStatus.class);
        Stream.of(GateStatus.values()).forEach(s -> counts.put(s, 0));
        gates.forEach(g -> counts.merge(g.status(), 1, Integer::sum));
        return new RunReport(source, gates, Collections.unmodifiableSortedMap(new TreeMap<>(counts)));
    }

    ReportStatus status() {
        if (counts.get(GateStatus.BREACHED) > 0) {
            return ReportStatus.BREACHED;
        }
        if (open() > 0 || !source.unreadable().isEmpty()) {
            return ReportStatus.NOT_SHOWN;
        }
        if (counts.get(GateStatus.WAIVED) > 0) {
            return ReportStatus.WAIVED;
        }
        if (counts.get(GateStatus.SKIPPED) + counts.get(GateStatus.NOT_APPLICABLE) == gates.size()) {
            return ReportStatus.NOTHING_MEASURED;
        }
        return counts.get(GateStatus.PASSED) == gates.size()
                ? ReportStatus.PASSED
                : ReportStatus.PASSED_WITH_RESERVATIONS;
    }

    /** {@return the result as a whole, in words} */
    String headline() {
        return switch (status()) {
            case PASSED ->
                gates.size() == 1 ? "The gate passed" : String.format(Locale.ROOT, "All %d gates passed", gates.size());
            case PASSED_WITH_RESERVATIONS -> "Passed with reservations: " + reservations();
            case WAIVED -> "Broken, and waived: " + reservations();
            case NOT_SHOWN -> notShown();
            case BREACHED ->
                String.format(Locale.ROOT, "Breached: %d of %s", counts.get(GateStatus.BREACHED), gateCount());
            case NOTHING_MEASURED ->
                gates.isEmpty() ? "Nothing was measured: there is no gate" : "Nothing was measured: " + leftOut();
        };
    }

    /** {@return such as {@code 4 gates: 2 passed, 1 breached, 1 inconclusive, 0 skipped}} */
    String line() {
        String line = counts.entrySet().stream()
                .filter(c -> c.getValue() > 0 || c.getKey().isAlwaysCounted())
                .map(c -> c.getValue() + " " + c.getKey().participle())
                .collect(Collectors.joining(", ", gateCount() + ": ", ""));
        int unreadable = source.unreadable().size();
        return unreadable == 0
                ? line
                : String.format(
                        Locale.ROOT, "%s; %d record%s unreadable", line, unreadable, unreadable == 1 ? "" : "s");
    }

    private String leftOut() {
        int notApplicable = counts.get(GateStatus.NOT_APPLICABLE);
        return notApplicable == 0
                ? String.format(Locale.ROOT, "%s skipped", gateCount())
                : String.format(
                        Locale.ROOT,
                        "%s, %d skipped and %d not applicable",
                        gateCount(),
                        counts.get(GateStatus.SKIPPED),
                        notApplicable);
    }

    private int open() {
        return counts.entrySet().stream()
                .filter(c -> c.getKey() != GateStatus.BREACHED && !SHOWN.contains(c.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private String notShown() {
        if (open() > 0 && open() == counts.get(GateStatus.UNUSED_WAIVER)) {
            return String.format(Locale.ROOT, "A waiver has to be removed: %d of %s", open(), gateCount());
        }
        return open() > 0
                ? String.format(Locale.ROOT, "Not shown to hold: %d of %s", open(), gateCount())
                : "Not shown to hold: a record cannot be read";
    }

    private String reservations() {
        List<String> reservations = new ArrayList<>();
        for (GateStatus status : List.of(
                GateStatus.WAIVED,
                GateStatus.PASSED_ON_RERUN,
                GateStatus.BASELINE_STORED,
                GateStatus.PARTLY_APPLICABLE,
                GateStatus.PARTLY_SELECTED,
                GateStatus.NOT_APPLICABLE,
                GateStatus.SKIPPED)) {
            if (counts.get(status) > 0) {
                reservations.add(counts.get(status) + " of " + gateCount() + " " + status.participle());
            }
        }
        return String.join(", ", reservations);
    }

    private String gateCount() {
        return gates.size() + (gates.size() == 1 ? " gate" : " gates");
    }
}
