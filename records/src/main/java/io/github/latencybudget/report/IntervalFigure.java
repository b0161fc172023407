package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.record.JudgementEntry.EvidenceEntry;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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
        Axis axis = axis(rule, evidence);
        double lower = evidence.lowerBound() == null ? axis.min() : evidence.lowerBound();
        double upper = evidence.upperBound() == null ? axis.max() : evidence.upperBound();
        return new IntervalFigure(
                rule.rule(),
                description(rule, evidence),
                rule.status().name().toLowerCase(Locale.ROOT),
                mark(axis, rule.limit(), "limit " + Quantity.exact(rule.unit(), rule.limit()), 12),
                axis.at(rule.observed()),
                axis.at(lower),
                Axis.text(Math.max(1, axis.place(upper) - axis.place(lower))),
                evidence.lowerBound() == null,
                evidence.upperBound() == null,
                axis.at(upper),
                percentiles(axis, rule, evidence),
                axis.ticks(),
                switch (rule.unit()) {
                    case NANOSECONDS -> "ms";
                    case TOKENS_PER_SECOND -> "tokens/s";
                    case SHARE -> "%";
                    case BYTES -> "GiB";
                });
    }

    private static Axis axis(RuleEntry rule, EvidenceEntry evidence) {
        double top = Stream.of(rule.limit(), rule.observed(), evidence.p99(), evidence.upperBound())
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .getAsDouble();
        if (rule.unit() != Metric.Unit.SHARE) {
            return new Axis(
                    0, 1.08 * top, LEFT, RIGHT, rule.unit() == Metric.Unit.NANOSECONDS ? Axis.MILLISECONDS : Axis.ONE);
        }
        if (rule.isAtMost()) {
            return new Axis(0, Math.min(1, 1.08 * top), LEFT, RIGHT, Axis.PERCENT);
        }
        // A share that has to be large is near 1, where from 0 on nothing could be told apart.
        double bottom = Stream.of(rule.limit(), rule.observed(), evidence.lowerBound())
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .min()
                .getAsDouble();
        return new Axis(Math.max(0, 1 - 1.5 * (1 - bottom)), 1, LEFT, RIGHT, Axis.PERCENT);
    }

    private static String description(RuleEntry rule, EvidenceEntry evidence) {
        return String.format(
                        Locale.ROOT,
                        "Observed %s, limit %s",
                        Quantity.of(rule.unit(), rule.observed()),
                        Quantity.of(rule.unit(), rule.limit()))
                + (evidence.p50() == null
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", P50 %s, P95 %s, P99 %s",
                                Quantity.of(rule.unit(), evidence.p50()),
                                Quantity.of(rule.unit(), evidence.p95()),
                                Quantity.of(rule.unit(), evidence.p99())))
                + String.format(
                        Locale.ROOT,
                        "; %d requests, %s, by a %s",
                        evidence.requests(),
                        evidence.decidedAfter() == null ? "not decided" : "decided after " + RuleView.decided(evidence),
                        evidence.method());
    }

    private static List<Mark> percentiles(Axis axis, RuleEntry rule, EvidenceEntry evidence) {
        if (evidence.p50() == null) {
            return List.of();
        }
        // One row each: side by side they would run into one another wherever a distribution is narrow.
        return List.of(
                mark(axis, evidence.p50(), "P50 " + Quantity.of(rule.unit(), evidence.p50()), FIRST_ROW),
                mark(axis, evidence.p95(), "P95 " + Quantity.of(rule.unit(), evidence.p95()), FIRST_ROW + ROW),
                mark(axis, evidence.p99(), "P99 " + Quantity.of(rule.unit(), evidence.p99()), FIRST_ROW + 2 * ROW));
    }

    boolean hasPercentiles() {
        return !percentiles.isEmpty();
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
