package io.github.latencybudget.report;

import io.github.latencybudget.budget.BoundsText;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.record.JudgementEntry.EvidenceEntry;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One rule and its verdict, as text.
 *
 * @param evidence the evidence in one sentence
 * @param reason why it is inconclusive; null where it is not
 * @param figure null where nothing was observed
 */
record RuleView(
        String status,
        String style,
        String rule,
        String observed,
        String limit,
        String evidence,
        List<Fact> facts,
        @Nullable String reason,
        @Nullable IntervalFigure figure) {

    static RuleView of(RuleEntry rule, double confidence) {
        EvidenceEntry evidence = rule.evidence();
        return new RuleView(
                rule.status().name(),
                style(rule.status()),
                rule.rule(),
                rule.observed() == null
                        ? "nothing observed"
                        : Quantity.of(rule.metric(), rule.observed(), rule.limit()),
                (isTime(rule.metric()) ? "at most " : "at least ") + Quantity.exact(rule.metric(), rule.limit()),
                evidence == null ? "none" : sentence(rule, evidence, confidence),
                evidence == null ? List.of() : facts(rule, evidence, confidence),
                rule.reason(),
                evidence == null || rule.observed() == null ? null : IntervalFigure.of(rule, evidence));
    }

    private static String style(Status status) {
        return switch (status) {
            case PASS -> GateStatus.PASSED.style();
            case BREACH -> GateStatus.BREACHED.style();
            case INCONCLUSIVE -> GateStatus.INCONCLUSIVE.style();
        };
    }

    private static String sentence(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        return "%s; %s, %d beyond the limit%s"
                .formatted(
                        bounds(rule, evidence, confidence),
                        samples(rule.metric(), evidence),
                        evidence.exceedances(),
                        evidence.decidedAfter() == null ? "" : "; decided after " + decided(evidence));
    }

    private static List<Fact> facts(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        Metric metric = rule.metric();
        List<Fact> facts = new ArrayList<>();
        if (rule.observed() != null) {
            facts.add(new Fact("Observed", Quantity.of(metric, rule.observed(), rule.limit())));
            facts.add(new Fact(
                    "Limit", (isTime(metric) ? "at most " : "at least ") + Quantity.exact(metric, rule.limit())));
            facts.add(new Fact("Distance from the limit", distance(rule.observed(), rule.limit())));
        }
        facts.add(new Fact("Percentile", bounds(rule, evidence, confidence)));
        facts.add(new Fact("Samples (n)", samples(metric, evidence)));
        facts.add(new Fact(
                "Beyond the limit",
                String.format(
                        Locale.ROOT,
                        "%d of %d (%.1f%%)",
                        evidence.exceedances(),
                        evidence.values(),
                        100.0 * evidence.exceedances() / evidence.values())));
        facts.add(new Fact("P50", Quantity.of(metric, evidence.p50())));
        facts.add(new Fact("P95", Quantity.of(metric, evidence.p95())));
        facts.add(new Fact("P99", Quantity.of(metric, evidence.p99())));
        facts.add(new Fact("Max", Quantity.of(metric, evidence.max())));
        facts.add(new Fact("Nearest rank", "%d of %d".formatted(evidence.rank(), evidence.values())));
        if (rule.status() == Status.INCONCLUSIVE && evidence.requestsNeeded() != null) {
            facts.add(new Fact(
                    "To show that it holds",
                    "%d requests, none beyond the limit from here on".formatted(evidence.requestsNeeded())));
        }
        if (evidence.decidedAfter() != null) {
            facts.add(new Fact("Decided after", decided(evidence)));
        }
        facts.add(new Fact("Method", evidence.method()));
        return facts;
    }

    private static String bounds(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        return BoundsText.of(
                rule.metric(),
                orEmpty(evidence.lowerBound()),
                orEmpty(evidence.upperBound()),
                rule.limit(),
                new Confidence(confidence));
    }

    /** {@return such as {@code 64 of at most 200 requests}; to be asked only where it was decided} */
    static String decided(EvidenceEntry evidence) {
        return evidence.requestsAtMost() == null
                ? evidence.decidedAfter() + " requests"
                : "%d of at most %d requests".formatted(evidence.decidedAfter(), evidence.requestsAtMost());
    }

    private static OptionalDouble orEmpty(@Nullable Double value) {
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    private static String samples(Metric metric, EvidenceEntry evidence) {
        String requests = evidence.requests() == 1 ? "1 request" : evidence.requests() + " requests";
        return metric.isClusteredByRequest() ? "%d gaps of %s".formatted(evidence.values(), requests) : requests;
    }

    private static String distance(double observed, double limit) {
        double percent = 100 * Math.abs(observed - limit) / limit;
        if (observed == limit) {
            return "exactly at the limit";
        }
        return (percent < 0.05 ? "under 0.1%" : String.format(Locale.ROOT, "%.1f%%", percent))
                + (observed > limit ? " above the limit" : " below the limit");
    }

    private static boolean isTime(Metric metric) {
        return metric.unit() == Metric.Unit.NANOSECONDS;
    }
}
