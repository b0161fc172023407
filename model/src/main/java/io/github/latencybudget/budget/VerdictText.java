package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints verdicts. */
final class VerdictText {

    private static final String INDENT = "        ";
    private static final int EDGE = 10;

    private VerdictText() {}

    static String describe(Verdicts verdicts) {
        return header(verdicts)
                + byHand(verdicts)
                + SavedText.of(verdicts.measurement())
                        .map(t -> "\n" + INDENT + "measured " + t)
                        .orElse("")
                + LoadText.of(verdicts.measurement())
                        .map(t -> "\n" + INDENT + t)
                        .orElse("")
                + SystemText.of(verdicts.measurement())
                        .map(t -> "\n" + INDENT + "system TGS " + t)
                        .orElse("")
                + verdicts.verdicts().stream()
                        .map(v -> "\n" + paragraph(v, verdicts))
                        .collect(Collectors.joining())
                + unsaid(verdicts).map(s -> "\n" + s).collect(Collectors.joining());
    }

    private static String byHand(Verdicts verdicts) {
        List<String> settings = verdicts.guardsSetByHand();
        return settings.isEmpty() ? "" : "\n" + INDENT + "guards set by hand: " + String.join(", ", settings);
    }

    static String line(Verdict verdict) {
        String rule = verdict.status().name().replace("_", " ") + "  "
                + verdict.rule().text() + ": ";
        if (verdict.observed().isEmpty()) {
            return rule + "nothing observed";
        }
        double observed = verdict.observed().getAsDouble();
        double limit = verdict.rule().limitInUnit();
        String value = rule + "observed " + Quantity.of(verdict.rule().unit(), observed, limit);
        return (Limits.isWithin(verdict.rule(), observed)
                        ? value
                        : value + ", " + distance(verdict.rule(), observed, limit))
                + lessSure(verdict);
    }

    /** Who is content with less than is usual has to say so wherever the verdict stands. */
    private static String lessSure(Verdict verdict) {
        return verdict.evidence()
                .map(Evidence::confidence)
                .filter(c -> c.level() < Confidence.DEFAULT.level())
                .map(v -> String.format(Locale.ROOT, " (at %s confidence only)", v))
                .orElse("");
    }

    /** The findings that stand in no reason, since a breach was shown in spite of them. */
    private static Stream<String> unsaid(Verdicts verdicts) {
        return verdicts.findings().stream()
                .map(Finding::sentence)
                .filter(s -> verdicts.verdicts().stream()
                        .noneMatch(v -> v.reason().orElse("").contains(s)));
    }

    private static String header(Verdicts verdicts) {
        Conditions conditions = verdicts.measurement().conditions();
        boolean isWarm = verdicts.measurement().warmUp().isWarm()
                && verdicts.findings().stream().noneMatch(f -> f.kind() == Finding.Kind.NOT_WARM);
        return String.format(
                Locale.ROOT,
                "[%s %s | prompt %s | output %s | %s | %s | %s | %s]",
                conditions.model(),
                weights(conditions),
                prompts(conditions),
                conditions.outputTokens(),
                conditions.sampling(),
                isWarm ? "warm" : "not warm",
                conditions.load(),
                conditions.device());
    }

    /** Of an endpoint that nothing is known of, both say that it is served. */
    private static String weights(Conditions conditions) {
        return conditions.dtype().endsWith(conditions.weights())
                ? conditions.dtype()
                : conditions.dtype() + " " + conditions.weights();
    }

    private static String prompts(Conditions conditions) {
        return conditions.workload().drawsPrompts()
                ? conditions.workload().toString()
                : conditions.requestsByPromptTokens().keySet().stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", "));
    }

    private static String paragraph(Verdict verdict, Verdicts verdicts) {
        StringBuilder text = new StringBuilder(line(verdict));
        verdict.reason().ifPresent(r -> text.append('\n').append(INDENT).append(r));
        verdict.evidence()
                .ifPresent(e ->
                        text.append('\n').append(INDENT).append(evidence(verdict.rule(), e, verdicts.confidence())));
        GoodRate.perSecond(verdict, verdicts.measurement())
                .ifPresent(rate -> text.append('\n').append(INDENT).append(GoodRate.text(rate)));
        boolean isBroken = verdict.status() == Status.BREACH || verdict.status() == Status.WAIVED;
        if (isBroken && isOfGaps(verdict.rule())) {
            trend(verdict.rule(), verdicts.measurement())
                    .ifPresent(t -> text.append('\n').append(INDENT).append(t));
            PauseText.of(verdict.rule(), verdicts.measurement())
                    .ifPresent(t -> text.append('\n').append(INDENT).append(t));
        }
        return text.toString();
    }

    private static boolean isOfGaps(Rule rule) {
        return rule instanceof LatencyRule latency && latency.metric() == Metric.ITL;
    }

    private static String distance(Rule rule, double observed, double limit) {
        double distance = Math.abs(observed - limit);
        String side = rule.isAtMost() ? "over" : "under";
        if (rule.unit() == Metric.Unit.SHARE) {
            return String.format(
                    Locale.ROOT,
                    "%s points %s",
                    Quantity.of(rule.unit(), distance, 0).replace("%", ""),
                    side);
        }
        double share = distance / limit;
        return String.format(
                Locale.ROOT,
                "%s (%s) %s",
                Quantity.of(rule.unit(), distance, 0),
                share < 0.0005 ? "under 0.1%" : Quantity.percent(share),
                side);
    }

    private static String evidence(Rule rule, Evidence evidence, Confidence confidence) {
        return String.format(
                Locale.ROOT,
                "%s\n%s%s%s%s",
                BoundsText.of(
                        rule.unit(), evidence.lowerBound(), evidence.upperBound(), rule.limitInUnit(), confidence),
                INDENT,
                counted(rule, evidence),
                evidence.spread().map(s -> "; " + spread(rule.unit(), s)).orElse(""),
                decided(evidence));
    }

    private static String counted(Rule rule, Evidence evidence) {
        String requests = evidence.requests() == 1 ? "1 request" : evidence.requests() + " requests";
        if (rule instanceof DriftRule) {
            // Decided or not, what was compared is how far the medians lie apart.
            return evidence.decidedAfter().isPresent() ? "first and last third of " + requests : evidence.method();
        }
        if (evidence.rank().isPresent()) {
            return String.format(
                    Locale.ROOT,
                    "nearest rank %s of %s %s from %s, %s beyond the limit",
                    evidence.rank().getAsInt(),
                    evidence.values(),
                    Terms.of(rule).values().isClusteredByRequest() ? "gaps" : "values",
                    requests,
                    evidence.exceedances().getAsInt());
        }
        return evidence.exceedances().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%s of %s %s",
                        evidence.exceedances().getAsInt(),
                        requests,
                        ShareText.bad(rule.kind()))
                : "mean of " + requests;
    }

    private static String decided(Evidence evidence) {
        return evidence.decidedAfter().isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "\n%sdecided after %s of at most %s requests by a %s",
                        INDENT,
                        evidence.decidedAfter().getAsInt(),
                        evidence.requestsAtMost(),
                        evidence.method());
    }

    /** The high percentiles of a rate are its good end, which says nothing about a limit from below. */
    private static String spread(Metric.Unit unit, Evidence.Spread spread) {
        return unit == Metric.Unit.TOKENS_PER_SECOND
                ? "median " + Quantity.of(unit, spread.p50())
                : String.format(
                        Locale.ROOT,
                        "P50 %s, P95 %s, P99 %s, max %s",
                        Quantity.of(unit, spread.p50()),
                        Quantity.of(unit, spread.p95()),
                        Quantity.of(unit, spread.p99()),
                        Quantity.of(unit, spread.max()));
    }

    /** How the gaps at the start of the answers compare with those at their end: a growing cache or a leak shows here. */
    private static Optional<String> trend(Rule rule, Measurement measurement) {
        List<TokenTrace> traces = measurement.completed().stream()
                .filter(rule::appliesTo)
                .filter(t -> t.outputTokens() >= 2 * EDGE)
                .toList();
        if (traces.isEmpty()) {
            return Optional.empty();
        }
        double first = meanGap(traces, true);
        double last = meanGap(traces, false);
        String memory = measurement.peakDeviceMemoryBytes().isPresent()
                ? "; peak device memory "
                        + Quantity.gibibytes(measurement.peakDeviceMemoryBytes().getAsLong())
                : "";
        return Optional.of(String.format(
                Locale.ROOT,
                "mean gap %s at tokens 2 to %s, %s at the last %s%s",
                Quantity.of(Metric.ITL, first),
                EDGE,
                Quantity.of(Metric.ITL, last),
                EDGE,
                memory));
    }

    private static double meanGap(List<TokenTrace> traces, boolean first) {
        return traces.stream()
                .map(StreamMetrics::gapNanos)
                .mapToDouble(gaps -> {
                    int from = first ? 0 : gaps.length - EDGE;
                    int to = first ? EDGE - 1 : gaps.length;
                    long sum = 0;
                    for (int i = from; i < to; i++) {
                        sum += gaps[i];
                    }
                    return sum / (double) (to - from);
                })
                .average()
                .orElseThrow();
    }
}
