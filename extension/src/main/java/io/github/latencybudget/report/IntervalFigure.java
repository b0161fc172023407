package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.record.JudgementEntry.EvidenceEntry;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Where the observed value and the bounds of the percentile lie beside the limit, as places in a figure.
 *
 * @param barStart where the interval starts; at the edge where there is no lower bound
 * @param openStart whether there is no lower bound
 * @param openEnd whether there is no upper bound
 */
record IntervalFigure(
        String title,
        String description,
        String style,
        Mark limit,
        String observed,
        String barStart,
        String barWidth,
        boolean openStart,
        boolean openEnd,
        String barEnd,
        List<Mark> percentiles,
        List<Axis.Tick> ticks,
        String unit) {

    private static final double LEFT = 12;
    private static final double RIGHT = 468;
    private static final double CHARACTER = 6.6;
    private static final double FIRST_ROW = 28;
    private static final double ROW = 12;

    /** A labelled place. */
    record Mark(String at, String label, String labelX, String labelY, String anchor) {}

    static IntervalFigure of(RuleEntry rule, EvidenceEntry evidence) {
        Metric metric = rule.metric();
        double observed = rule.observed();
        double lower = evidence.lowerBound() == null ? 0 : evidence.lowerBound();
        double top = DoubleStream.of(
                        rule.limit(),
                        observed,
                        evidence.p99(),
                        evidence.upperBound() == null ? 0 : evidence.upperBound())
                .max()
                .getAsDouble();
        boolean isTime = metric.unit() == Metric.Unit.NANOSECONDS;
        Axis axis = new Axis(0, 1.08 * top, LEFT, RIGHT, isTime ? Axis.MILLISECONDS : Axis.ONE);
        double upper = evidence.upperBound() == null ? axis.max() : evidence.upperBound();
        return new IntervalFigure(
                rule.rule(),
                "Observed %s, limit %s, P50 %s, P95 %s, P99 %s"
                                .formatted(Stream.of(
                                                observed, rule.limit(), evidence.p50(), evidence.p95(), evidence.p99())
                                        .map(v -> Quantity.of(metric, v))
                                        .toArray())
                        + "; %d requests, %s, by a %s"
                                .formatted(
                                        evidence.requests(),
                                        evidence.decidedAfter() == null
                                                ? "not decided"
                                                : "decided after " + RuleView.decided(evidence),
                                        evidence.method()),
                rule.status().name().toLowerCase(Locale.ROOT),
                mark(axis, rule.limit(), "limit " + Quantity.exact(metric, rule.limit()), 12),
                axis.at(observed),
                axis.at(lower),
                Axis.text(Math.max(1, axis.place(upper) - axis.place(lower))),
                evidence.lowerBound() == null,
                evidence.upperBound() == null,
                axis.at(upper),
                percentiles(axis, metric, evidence),
                axis.ticks(),
                isTime ? "ms" : "tokens/s");
    }

    private static List<Mark> percentiles(Axis axis, Metric metric, EvidenceEntry evidence) {
        // One row each: side by side they would run into one another wherever a distribution is narrow.
        return List.of(
                mark(axis, evidence.p50(), "P50 " + Quantity.of(metric, evidence.p50()), FIRST_ROW),
                mark(axis, evidence.p95(), "P95 " + Quantity.of(metric, evidence.p95()), FIRST_ROW + ROW),
                mark(axis, evidence.p99(), "P99 " + Quantity.of(metric, evidence.p99()), FIRST_ROW + 2 * ROW));
    }

    private static Mark mark(Axis axis, double value, String label, double y) {
        double at = axis.place(value);
        boolean fitsRight = at + 4 + CHARACTER * label.length() <= RIGHT;
        return new Mark(
                Axis.text(at),
                label,
                Axis.text(fitsRight ? at + 4 : at - 4),
                Axis.text(y),
                fitsRight ? "start" : "end");
    }
}
