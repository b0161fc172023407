package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/** Draws the gaps over the position of their token, so that growth along an answer is visible. */
final class GapsByPosition {

    private static final int MOST_POINTS = 100;
    private static final int FIRST_POSITION = 2;

    private GapsByPosition() {}

    /** The gaps at some positions in a row, pooled. */
    private record Point(double position, double median, double p95) {}

    static Optional<Plot> plot(Measurement measurement, List<RuleEntry> rules) {
        List<long[]> gaps =
                measurement.completed().stream().map(StreamMetrics::gapNanos).toList();
        int positions = gaps.stream().mapToInt(g -> g.length).max().orElse(0);
        if (positions < 2) {
            return Optional.empty();
        }
        int perPoint = (positions + MOST_POINTS - 1) / MOST_POINTS;
        List<Point> points = points(gaps, positions, perPoint);
        List<RuleEntry> limits =
                rules.stream().filter(r -> r.limits(Metric.ITL)).toList();
        double top = DoubleStream.concat(
                        points.stream().mapToDouble(Point::p95), limits.stream().mapToDouble(RuleEntry::limit))
                .max()
                .getAsDouble();
        if (top <= 0) {
            return Optional.empty();
        }
        Axis x = new Axis(FIRST_POSITION, FIRST_POSITION + positions - 1, Plot.LEFT, Plot.RIGHT, Axis.ONE);
        Axis y = new Axis(0, 1.08 * top, Plot.BOTTOM, Plot.TOP, Axis.MILLISECONDS);
        Plot.Pen median = new Plot.Pen();
        Plot.Pen p95 = new Plot.Pen();
        points.forEach(p -> {
            median.to(x.at(p.position()), y.at(p.median()));
            p95.to(x.at(p.position()), y.at(p.p95()));
        });
        List<Plot.Line> lines = new ArrayList<>();
        List<Plot.Key> keys = new ArrayList<>(List.of(new Plot.Key("first", "median"), new Plot.Key("second", "P95")));
        for (RuleEntry limit : limits) {
            lines.add(new Plot.Line(
                    "limit", String.format(Locale.ROOT, "M%s %sH%s", Plot.LEFT, y.at(limit.limit()), Plot.RIGHT)));
            keys.add(new Plot.Key("limit", limit.rule()));
        }
        lines.add(new Plot.Line("second", p95.path()));
        lines.add(new Plot.Line("first", median.path()));
        Point first = points.get(0);
        Point last = points.get(points.size() - 1);
        return Optional.of(new Plot(
                "ITL over the position in the answer",
                String.format(
                        Locale.ROOT,
                        "Median %s and P95 %s at the first gaps, median %s and P95 %s at the last",
                        Quantity.of(Metric.ITL, first.median()),
                        Quantity.of(Metric.ITL, first.p95()),
                        Quantity.of(Metric.ITL, last.median()),
                        Quantity.of(Metric.ITL, last.p95())),
                perPoint == 1 ? "" : String.format(Locale.ROOT, "Each point pools %d positions.", perPoint),
                "position of the token",
                "gap, ms",
                x.ticks(),
                y.ticks(),
                lines,
                List.of(),
                Plot.atTheRight(
                        limits.stream().map(l -> y.place(l.limit())).toList(),
                        limits.stream()
                                .map(l -> Quantity.exact(Metric.ITL, l.limit()))
                                .toList()),
                keys));
    }

    private static List<Point> points(List<long[]> gaps, int positions, int perPoint) {
        List<Point> points = new ArrayList<>();
        for (int from = 0; from < positions; from += perPoint) {
            int start = from;
            int end = Math.min(from + perPoint, positions);
            long[] pooled = gaps.stream()
                    .flatMapToLong(g -> LongStream.range(Math.min(start, g.length), Math.min(end, g.length))
                            .map(i -> g[(int) i]))
                    .sorted()
                    .toArray();
            points.add(new Point(
                    FIRST_POSITION + (start + end - 1) / 2.0,
                    pooled[Percentile.P50.rank(pooled.length) - 1],
                    pooled[Percentile.P95.rank(pooled.length) - 1]));
        }
        return points;
    }
}
