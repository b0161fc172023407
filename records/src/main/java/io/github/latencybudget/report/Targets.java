package io.github.latencybudget.report;

import io.github.latencybudget.baseline.SideBySide;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Two gates of one load on two targets, both of which have measured. */
record Targets(Side first, Side second, SideBySide both) {

    /** One of the two. */
    record Side(Gate gate, GateRecord record, SideEntry entry, Measurement measurement) {

        private static Optional<Side> of(Gate gate) {
            return gate.deciding()
                    .flatMap(attempt -> Optional.ofNullable(attempt.record().side())
                            .flatMap(entry ->
                                    attempt.measurement().map(m -> new Side(gate, attempt.record(), entry, m))));
        }

        /** What two machines have measured is not one load. */
        private String load() {
            return String.join(" ", entry.load(), gate.key().run(), gate.key().origin());
        }

        private SideBySide.Run run() {
            return new SideBySide.Run(entry.name(), measurement);
        }

        private double confidence() {
            return record.judgement() == null
                    ? Confidence.DEFAULT.level()
                    : record.judgement().confidence();
        }
    }

    /** {@return the first target of each load beside each of the others} */
    static List<Targets> of(List<Gate> gates) {
        TreeMap<String, List<Side>> byLoad = gates.stream()
                .flatMap(g -> Side.of(g).stream())
                .collect(Collectors.groupingBy(Side::load, TreeMap::new, Collectors.toList()));
        List<Targets> pairs = new ArrayList<>();
        for (List<Side> sides : byLoad.values()) {
            List<Side> inOrder = sides.stream()
                    .sorted(Comparator.comparingInt(s -> s.entry().order()))
                    .toList();
            inOrder.stream().skip(1).forEach(other -> pairs.add(of(inOrder.get(0), other)));
        }
        return pairs;
    }

    private static Targets of(Side first, Side second) {
        return new Targets(
                first,
                second,
                SideBySide.of(
                        first.run(),
                        second.run(),
                        new Confidence(Math.max(first.confidence(), second.confidence())),
                        first.entry().requestsSetBefore() && second.entry().requestsSetBefore()));
    }

    /** {@return such as {@code ChatSlaTest.answers(): local beside served}} */
    String title() {
        String of = first.gate().name();
        String suffix = String.format(Locale.ROOT, " [%s]", first.entry().name());
        return String.format(
                Locale.ROOT,
                "%s: %s beside %s",
                of.endsWith(suffix)
                        ? of.substring(0, of.length() - suffix.length())
                        : first.gate().key().gate().simpleClassName(),
                first.entry().name(),
                second.entry().name());
    }
}
