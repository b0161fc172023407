package io.github.latencybudget.report;

import io.github.latencybudget.budget.BoundsText;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.GoodRate;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.ShareText;
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
 * @param reason why it is inconclusive, or what its waiver does; null where there is nothing to say
 * @param waiver null where it has none
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
        @Nullable WaiverView waiver,
        @Nullable IntervalFigure figure) {

    static RuleView of(RuleEntry rule, double confidence) {
        EvidenceEntry evidence = rule.evidence();
        return new RuleView(
                rule.status().name().replace('_', ' '),
                style(rule.status()),
                rule.rule(),
                rule.observed() == null ? "nothing observed" : Quantity.of(rule.unit(), rule.observed(), rule.limit()),
                limit(rule),
                evidence == null ? none(rule) : sentence(rule, evidence, confidence),
                evidence == null ? List.of() : facts(rule, evidence, confidence),
                rule.reason(),
                rule.waiver() == null ? null : WaiverView.of(rule, rule.waiver()),
                evidence == null || rule.observed() == null ? null : IntervalFigure.of(rule, evidence));
    }

    private static String style(Status status) {
        return switch (status) {
            case PASS -> GateStatus.PASSED.style();
            case BREACH -> GateStatus.BREACHED.style();
            case INCONCLUSIVE -> GateStatus.INCONCLUSIVE.style();
            case WAIVED -> GateStatus.WAIVED.style();
            case UNUSED_WAIVER -> GateStatus.UNUSED_WAIVER.style();
        };
    }

    private static String limit(RuleEntry rule) {
        return (rule.isAtMost() ? "at most " : "at least ") + Quantity.exact(rule.unit(), rule.limit());
    }

    private static String none(RuleEntry rule) {
        return rule.observed() == null ? "none" : "the largest value seen in this run";
    }

    private static String sentence(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        return String.format(
                Locale.ROOT,
                "%s; %s%s%s%s",
                bounds(rule, evidence, confidence),
                samples(rule, evidence),
                evidence.exceedances() == null
                        ? ""
                        : String.format(Locale.ROOT, ", %d %s", evidence.exceedances(), beyond(rule)),
                evidence.goodRequestsPerSecond() == null ? "" : "; " + GoodRate.text(evidence.goodRequestsPerSecond()),
                evidence.decidedAfter() == null ? "" : "; decided after " + decided(evidence));
    }

    private static List<Fact> facts(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        List<Fact> facts = new ArrayList<>();
        if (rule.observed() != null) {
            facts.add(new Fact("Observed", Quantity.of(rule.unit(), rule.observed(), rule.limit())));
            facts.add(new Fact("Limit", limit(rule)));
            facts.add(new Fact("Distance from the limit", distance(rule)));
        }
        facts.add(new Fact(
                switch (rule.kind()) {
                    case PERCENTILE, REQUEST_PERCENTILE -> "Percentile";
                    case MEAN -> "Mean";
                    case SYSTEM_TGS -> "Rate";
                    case DRIFT -> "Change";
                    default -> "Share";
                },
                bounds(rule, evidence, confidence)));
        facts.add(new Fact("Samples (n)", samples(rule, evidence)));
        if (evidence.exceedances() != null) {
            facts.add(new Fact(
                    evidence.rank() == null ? "Requests " + beyond(rule) : "Beyond the limit",
                    String.format(
                            Locale.ROOT,
                            "%d of %d (%.1f%%)",
                            evidence.exceedances(),
                            evidence.values(),
                            100.0 * evidence.exceedances() / evidence.values())));
        }
        if (evidence.goodRequestsPerSecond() != null) {
            facts.add(new Fact(
                    "Good requests per second", String.format(Locale.ROOT, "%.2f", evidence.goodRequestsPerSecond())));
        }
        spread(facts, "P50", rule, evidence.p50());
        spread(facts, "P95", rule, evidence.p95());
        spread(facts, "P99", rule, evidence.p99());
        spread(facts, "Max", rule, evidence.max());
        if (evidence.rank() != null) {
            facts.add(new Fact(
                    "Nearest rank", String.format(Locale.ROOT, "%d of %d", evidence.rank(), evidence.values())));
        }
        if (rule.status() == Status.INCONCLUSIVE && evidence.requestsNeeded() != null) {
            facts.add(new Fact(
                    "To show that it holds",
                    String.format(
                            Locale.ROOT,
                            "%d requests, %s",
                            evidence.requestsNeeded(),
                            evidence.exceedances() == null
                                    ? "if it stays as it is"
                                    : String.format(Locale.ROOT, "none %s from here on", beyond(rule)))));
        }
        if (evidence.decidedAfter() != null) {
            facts.add(new Fact("Decided after", decided(evidence)));
        }
        facts.add(new Fact("Method", evidence.method()));
        return facts;
    }

    private static void spread(List<Fact> facts, String name, RuleEntry rule, @Nullable Double value) {
        if (value != null) {
            facts.add(new Fact(name, Quantity.of(rule.unit(), value)));
        }
    }

    private static String beyond(RuleEntry rule) {
        return switch (rule.kind()) {
            case GOODPUT, FLUIDITY, FAILURE_SHARE -> ShareText.bad(rule.kind());
            default -> "beyond the limit";
        };
    }

    private static String bounds(RuleEntry rule, EvidenceEntry evidence, double confidence) {
        return BoundsText.of(
                rule.unit(),
                orEmpty(evidence.lowerBound()),
                orEmpty(evidence.upperBound()),
                rule.limit(),
                new Confidence(confidence));
    }

    /** {@return such as {@code 64 of at most 200 requests}; to be asked only where it was decided} */
    static String decided(EvidenceEntry evidence) {
        return String.format(
                Locale.ROOT, "%d of at most %d requests", evidence.decidedAfter(), evidence.requestsAtMost());
    }

    private static OptionalDouble orEmpty(@Nullable Double value) {
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    private static String samples(RuleEntry rule, EvidenceEntry evidence) {
        String requests = evidence.requests() == 1 ? "1 request" : evidence.requests() + " requests";
        boolean isOfGaps = rule.kind() != Rule.Kind.REQUEST_PERCENTILE
                && (rule.metric() == Metric.ITL || rule.metric() == Metric.ICL);
        return isOfGaps ? String.format(Locale.ROOT, "%d gaps of %s", evidence.values(), requests) : requests;
    }

    private static String distance(RuleEntry rule) {
        double distance = Math.abs(rule.observed() - rule.limit());
        if (distance == 0) {
            return "exactly at the limit";
        }
        String side = rule.observed() > rule.limit() ? "above the limit" : "below the limit";
        if (rule.unit() == Metric.Unit.SHARE) {
            return String.format(Locale.ROOT, "%.1f points %s", 100 * distance, side);
        }
        double percent = 100 * distance / rule.limit();
        return (percent < 0.05 ? "under 0.1%" : String.format(Locale.ROOT, "%.1f%%", percent)) + " " + side;
    }
}
