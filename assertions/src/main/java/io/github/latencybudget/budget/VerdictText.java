package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints verdicts. */
final class VerdictText {

    private static final String INDENT = "        ";
    private static final int EDGE = 10;

    private VerdictText() {}

    static String describe(Verdicts verdicts) {
        return header(verdicts.measurement())
                + verdicts.verdicts().stream()
                        .map(v -> "\n" + paragraph(v, verdicts))
                        .collect(Collectors.joining());
    }

    static String line(Verdict verdict) {
        String rule = verdict.status() + "  " + verdict.rule().text() + ": ";
        if (verdict.observed().isEmpty()) {
            return rule + "nothing observed";
        }
        Metric metric = verdict.rule().metric();
        double observed = verdict.observed().getAsDouble();
        double limit = limit(verdict.rule());
        String value = rule + "observed " + Quantity.of(metric, observed, limit);
        boolean isWorse = metric.unit() == Metric.Unit.NANOSECONDS ? observed > limit : observed < limit;
        return isWorse ? value + ", " + distance(metric, observed, limit) : value;
    }

    private static String header(Measurement measurement) {
        Conditions conditions = measurement.conditions();
        return "[%s %s %s | prompt %s | output %d | %s | %s | concurrency %d | %s]"
                .formatted(
                        conditions.model(),
                        conditions.dtype(),
                        conditions.weights(),
                        conditions.requestsByPromptTokens().keySet().stream()
                                .map(String::valueOf)
                                .collect(Collectors.joining(", ")),
                        conditions.outputTokens(),
                        conditions.sampling(),
                        measurement.warmUp().isWarm() ? "warm" : "not warm",
                        conditions.concurrency(),
                        conditions.device());
    }

    private static String paragraph(Verdict verdict, Verdicts verdicts) {
        StringBuilder text = new StringBuilder(line(verdict));
        verdict.reason().ifPresent(r -> text.append('\n').append(INDENT).append(r));
        verdict.evidence()
                .ifPresent(e -> text.append('\n').append(INDENT).append(evidence(verdict.rule(), e, verdicts)));
        if (verdict.status() == Status.BREACH && verdict.rule().metric() == Metric.ITL) {
            trend(verdict.rule(), verdicts.measurement())
                    .ifPresent(t -> text.append('\n').append(INDENT).append(t));
        }
        return text.toString();
    }

    private static String distance(Metric metric, double observed, double limit) {
        double distance = Math.abs(observed - limit);
        double share = 100 * distance / limit;
        return "%s (%s) %s"
                .formatted(
                        Quantity.of(metric, distance),
                        share < 0.05 ? "under 0.1%" : String.format(Locale.ROOT, "%.1f%%", share),
                        metric.unit() == Metric.Unit.NANOSECONDS ? "over" : "under");
    }

    private static String evidence(Rule rule, Evidence evidence, Verdicts verdicts) {
        Metric metric = rule.metric();
        return "%s; nearest rank %d of %d %s from %d request%s, %d beyond the limit; P50 %s, P95 %s, P99 %s, max %s"
                .formatted(
                        bounds(metric, evidence, verdicts.confidence()),
                        evidence.rank(),
                        evidence.values(),
                        metric == Metric.ITL ? "gaps" : "values",
                        evidence.requests(),
                        evidence.requests() == 1 ? "" : "s",
                        evidence.exceedances(),
                        Quantity.of(metric, evidence.p50()),
                        Quantity.of(metric, evidence.p95()),
                        Quantity.of(metric, evidence.p99()),
                        Quantity.of(metric, evidence.max()));
    }

    private static String bounds(Metric metric, Evidence evidence, Confidence confidence) {
        return "at %s confidence %s and %s"
                .formatted(
                        confidence,
                        evidence.lowerBound().isPresent()
                                ? "at least "
                                        + Quantity.of(
                                                metric, evidence.lowerBound().getAsDouble())
                                : "no lower bound yet",
                        evidence.upperBound().isPresent()
                                ? "at most "
                                        + Quantity.of(
                                                metric, evidence.upperBound().getAsDouble())
                                : "no upper bound yet");
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
        return Optional.of("mean gap %s at tokens 2 to %d, %s at the last %d%s"
                .formatted(Quantity.of(Metric.ITL, first), EDGE, Quantity.of(Metric.ITL, last), EDGE, memory));
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

    private static double limit(Rule rule) {
        return rule instanceof LatencyRule latency
                ? latency.limit().toNanos()
                : ((ThroughputRule) rule).minTokensPerSecond();
    }
}
