package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Measurement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the page and the summary show, as text.
 *
 * @param facts when and on what was measured, and from which records
 * @param targets the targets that had one load, side by side
 * @param environment the machine and the software, where all gates agree; else each gate has its own
 */
record PageView(
        String headline,
        String style,
        String line,
        List<Fact> facts,
        List<TargetsView> targets,
        List<GateView> gates,
        List<Fact> unreadable,
        List<Fact> environment) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    static PageView of(RunReport report, Links links) {
        List<Measurement> measurements = report.gates().stream()
                .flatMap(g -> g.deciding().flatMap(GateAttempt::measurement).stream())
                .toList();
        List<Environment> environments =
                measurements.stream().map(Measurement::environment).distinct().toList();
        boolean isShared = environments.size() == 1;
        List<GateView> gates = new ArrayList<>();
        for (Gate gate : report.gates()) {
            gates.add(GateView.of(gate, "gate-" + (gates.size() + 1), !isShared, links));
        }
        return new PageView(
                report.headline(),
                report.status().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                report.line(),
                facts(report, measurements),
                Targets.of(report.gates()).stream().map(TargetsView::of).toList(),
                gates,
                report.source().unreadable().stream()
                        .map(u -> new Fact(links.to(u.path()), u.problem()))
                        .toList(),
                isShared ? details(environments.get(0)) : List.of());
    }

    boolean hasGates() {
        return !gates.isEmpty();
    }

    boolean hasUnreadable() {
        return !unreadable.isEmpty();
    }

    boolean hasEnvironment() {
        return !environment.isEmpty();
    }

    boolean hasComparisons() {
        return gates.stream().anyMatch(g -> g.comparison() != null);
    }

    boolean hasExchanges() {
        return gates.stream().anyMatch(g -> g.exchange() != null);
    }

    boolean hasProblems() {
        return hasUnreadable() || gates.stream().anyMatch(g -> !g.problems().isEmpty());
    }

    static List<Fact> details(Environment environment) {
        return environment.details().entrySet().stream()
                .map(e -> new Fact(e.getKey(), e.getValue()))
                .toList();
    }

    static String time(Instant time) {
        return TIME.format(time);
    }

    private static List<Fact> facts(RunReport report, List<Measurement> measurements) {
        List<Fact> facts = new ArrayList<>();
        List<GateRecord.Times> times =
                report.source().records().stream().map(r -> r.content().times()).toList();
        of(times, GateRecord.Times::planned).min(Instant::compareTo).ifPresent(from -> {
            Instant to = Stream.of(
                            of(times, GateRecord.Times::planned),
                            of(times, GateRecord.Times::started),
                            of(times, GateRecord.Times::ended))
                    .flatMap(Function.identity())
                    .max(Instant::compareTo)
                    .orElse(from);
            facts.add(new Fact("When", time(from) + " to " + time(to)));
        });
        if (!measurements.isEmpty()) {
            facts.add(new Fact(
                    "Device", distinct(measurements, m -> m.conditions().device())));
            facts.add(
                    new Fact("Model", distinct(measurements, m -> m.conditions().model())));
        }
        List<String> runs = report.gates().stream()
                .map(g -> g.key().run())
                .distinct()
                .sorted()
                .toList();
        if (!runs.isEmpty()) {
            facts.add(new Fact(runs.size() == 1 ? "Run" : "Runs", String.join(", ", runs)));
        }
        report.expected()
                .forEach((run, expected) -> facts.add(new Fact(
                        runs.size() == 1 ? "Manifest of gates" : "Manifest of gates, run " + run, expected.text())));
        List<String> beyond = report.expected().values().stream()
                .flatMap(e -> e.beyondManifest().stream())
                .distinct()
                .toList();
        if (!beyond.isEmpty()) {
            facts.add(new Fact("Not in the manifest", String.join("; ", beyond)));
        }
        facts.add(new Fact("Records", Integer.toString(report.source().records().size())));
        if (!report.leftOut().isEmpty()) {
            facts.add(new Fact(
                    "Left out",
                    "gates of other runs: "
                            + report.leftOut().stream().map(GateId::toString).collect(Collectors.joining(", "))));
        }
        return facts;
    }

    private static Stream<Instant> of(
            List<GateRecord.Times> times, Function<GateRecord.Times, @Nullable Instant> which) {
        return times.stream().map(which).filter(Objects::nonNull);
    }

    private static String distinct(List<Measurement> measurements, Function<Measurement, String> what) {
        return measurements.stream().map(what).distinct().collect(Collectors.joining("; "));
    }
}
