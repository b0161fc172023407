package io.github.latencybudget.report;

import io.github.latencybudget.baseline.SideBySide;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PrefixCache;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** {@code report.json}. Times are in nanoseconds, rates in tokens per second; what is absent is null. */
record ReportDocument(
        String schema,
        @Nullable String run,
        ReportStatus status,
        String headline,
        String summary,
        SortedMap<GateStatus, Integer> counts,
        List<ManifestEntry> manifests,
        GeneratedFrom generatedFrom,
        List<TargetsEntry> targets,
        List<GateEntry> gates) {

    static final String SCHEMA = "latency-budget/report/1";

    record GeneratedFrom(int records, List<String> gatesOfOtherRunsLeftOut, List<UnreadableEntry> unreadable) {}

    /** What the manifest of expected gates asks of a run, and what the run makes of it. */
    record ManifestEntry(
            String run,
            boolean hasManifest,
            List<String> selections,
            int expected,
            List<String> notPlanned,
            List<String> notInManifest) {
        private static ManifestEntry of(String run, Expected expected) {
            return new ManifestEntry(
                    run,
                    expected.hasManifest(),
                    expected.selections(),
                    expected.gates().size(),
                    expected.notPlanned().stream().map(g -> g.gate().toString()).toList(),
                    expected.beyondManifest());
        }
    }

    record UnreadableEntry(String record, String problem) {}

    /** Two targets that had one load. */
    record TargetsEntry(SideEntry first, SideEntry second, List<String> differing, SideBySide sideBySide) {

        private static TargetsEntry of(Targets targets) {
            return new TargetsEntry(
                    targets.first().entry(),
                    targets.second().entry(),
                    TargetsCondition.of(
                                    targets.first().measurement(),
                                    targets.second().measurement())
                            .stream()
                            .filter(c -> !c.isSame())
                            .map(TargetsCondition::inSentence)
                            .toList(),
                    targets.both());
        }
    }

    record GateEntry(
            GateId gate,
            String run,
            String origin,
            String displayName,
            GateStatus status,
            String statusText,
            @Nullable String lack,
            List<AttemptEntry> attempts) {}

    record AttemptEntry(
            int attempt,
            GateStatus status,
            String record,
            GateRecord.Times times,
            @Nullable String skipReason,
            @Nullable String error,
            GateRecord.@Nullable TestEnding test,
            @Nullable Conditions conditions,
            @Nullable Environment environment,
            @Nullable Long peakDeviceMemoryBytes,
            @Nullable Double systemTgs,
            @Nullable PrefixCache prefixCache,
            @Nullable Map<Outcome, Integer> outcomes,
            @Nullable JudgementEntry judgement,
            @Nullable ComparisonEntry comparison,
            @Nullable SweepSection sweep) {

        private static AttemptEntry of(GateAttempt attempt, Links links) {
            GateRecord record = attempt.record();
            Optional<Measurement> measurement = attempt.measurement();
            return new AttemptEntry(
                    record.attempt(),
                    attempt.status(),
                    links.to(attempt.path()),
                    record.times(),
                    record.skipReason(),
                    record.error(),
                    record.test(),
                    measurement.map(Measurement::conditions).orElse(null),
                    measurement.map(Measurement::environment).orElse(null),
                    record.measurement() == null ? null : record.measurement().peakDeviceMemoryBytes(),
                    measurement.flatMap(ReportDocument::systemTgs).orElse(null),
                    measurement.map(PrefixCache::of).orElse(null),
                    measurement.map(AttemptEntry::outcomes).orElse(null),
                    record.judgement(),
                    record.comparison(),
                    SweepSection.of(record, measurement).orElse(null));
        }

        private static Map<Outcome, Integer> outcomes(Measurement measurement) {
            Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
            measurement.traces().forEach(t -> counts.merge(t.outcome(), 1, Integer::sum));
            return counts;
        }
    }

    /** Without all of its conditions, of which the memory may be unknown, the rate says nothing. */
    static Optional<Double> systemTgs(Measurement measurement) {
        return measurement.peakDeviceMemoryBytes().isEmpty()
                ? Optional.empty()
                : SystemThroughput.of(measurement.traces()).map(SystemThroughput::systemTgs);
    }

    static ReportDocument of(RunReport report, Links links) {
        return new ReportDocument(
                SCHEMA,
                report.source().run().orElse(null),
                report.status(),
                report.headline(),
                report.line(),
                report.counts(),
                report.expected().entrySet().stream()
                        .map(e -> ManifestEntry.of(e.getKey(), e.getValue()))
                        .toList(),
                new GeneratedFrom(
                        report.source().records().size(),
                        report.leftOut().stream().map(GateId::toString).toList(),
                        report.source().unreadable().stream()
                                .map(u -> new UnreadableEntry(links.to(u.path()), u.problem()))
                                .toList()),
                Targets.of(report.gates()).stream().map(TargetsEntry::of).toList(),
                report.gates().stream()
                        .map(g -> new GateEntry(
                                g.key().gate(),
                                g.key().run(),
                                g.key().origin(),
                                g.displayName(),
                                g.status(),
                                g.statusText(),
                                g.lack().orElse(null),
                                g.attempts().stream()
                                        .map(a -> AttemptEntry.of(a, links))
                                        .toList()))
                        .toList());
    }
}
