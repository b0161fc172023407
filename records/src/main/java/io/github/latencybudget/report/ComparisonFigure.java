package io.github.latencybudget.report;

import io.github.latencybudget.baseline.Change;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.ComparisonEntry.ChangeEntry;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The intervals of all changes beside what is tolerated, as places in a figure. To the right is worse, for times and rates alike.
 *
 * @param bandStart where the tolerance begins
 */
record ComparisonFigure(
        String title,
        String description,
        String height,
        String axisY,
        String tickY,
        String labelY,
        String unitY,
        String bandStart,
        String bandWidth,
        String bandHeight,
        String bandEnd,
        String zero,
        String tolerance,
        List<Row> rows,
        List<Axis.Tick> ticks) {

    private static final double LEFT = 150;
    private static final double RIGHT = 468;
    private static final double TOP = 14;
    private static final double FIRST = 18;
    private static final double ROW = 17;
    private static final double PERCENT = 0.01;
    /** What is farther off, in tolerances, is drawn at the edge. */
    private static final double FARTHEST = 6;

    /** One change. */
    record Row(
            String label,
            String labelY,
            String barStart,
            String barY,
            String barWidth,
            String style,
            String observed,
            String y,
            boolean openStart,
            boolean openEnd) {}

    static ComparisonFigure of(ComparisonEntry comparison) {
        double tolerance = comparison.tolerancePercent() * PERCENT;
        Axis axis = new Axis(-reach(comparison, tolerance, -1), reach(comparison, tolerance, 1), LEFT, RIGHT, PERCENT);
        List<Row> rows = new ArrayList<>();
        for (ChangeEntry change : comparison.changes()) {
            rows.add(row(change, axis, FIRST + ROW * rows.size()));
        }
        double bottom = FIRST + ROW * rows.size();
        String percent = BigDecimal.valueOf(comparison.tolerancePercent())
                .stripTrailingZeros()
                .toPlainString();
        return new ComparisonFigure(
                "Change from the baseline " + comparison.baseline(),
                String.join(
                        "; ",
                        comparison.changes().stream().map(ChangeEntry::line).toList()),
                Axis.text(bottom + 32),
                Axis.text(bottom),
                Axis.text(bottom + 4),
                Axis.text(bottom + 16),
                Axis.text(bottom + 28),
                axis.at(-tolerance),
                Axis.text(axis.place(tolerance) - axis.place(-tolerance)),
                Axis.text(bottom - TOP),
                axis.at(tolerance),
                axis.at(0),
                percent,
                rows,
                axis.ticks());
    }

    private static Row row(ChangeEntry change, Axis axis, double y) {
        Double least = worsening(change, isTime(change) ? change.lower() : change.upper());
        Double most = worsening(change, isTime(change) ? change.upper() : change.lower());
        Double observed = worsening(change, change.ratio());
        double start = axis.place(least == null ? axis.min() : least);
        double end = axis.place(most == null ? axis.max() : most);
        return new Row(
                String.format(
                        Locale.ROOT,
                        "%s%s, %d tokens",
                        change.metric().label(),
                        change.statistic() == Change.Statistic.P95 ? " P95" : "",
                        change.promptTokens()),
                Axis.text(y + 9),
                Axis.text(start),
                Axis.text(y + 1),
                Axis.text(Math.max(1, end - start)),
                ComparisonView.style(change.status()),
                axis.at(observed == null ? 0 : observed),
                Axis.text(y + 5.5),
                least == null || least < axis.min(),
                most == null || most > axis.max());
    }

    /** How far the axis goes to one side, so that the tolerance and most of the intervals are within it. */
    private static double reach(ComparisonEntry comparison, double tolerance, int side) {
        double farthest = comparison.changes().stream()
                .flatMap(c -> Stream.of(worsening(c, c.lower()), worsening(c, c.upper()), worsening(c, c.ratio())))
                .filter(Objects::nonNull)
                .mapToDouble(v -> side * v)
                .max()
                .orElse(0);
        return Math.max(1.5 * tolerance, Math.min(FARTHEST * tolerance, 1.1 * farthest));
    }

    private static @Nullable Double worsening(ChangeEntry change, @Nullable Double ratio) {
        if (ratio == null) {
            return null;
        }
        return isTime(change) ? ratio - 1 : 1 - ratio;
    }

    private static boolean isTime(ChangeEntry change) {
        return change.metric().unit() == Metric.Unit.NANOSECONDS;
    }
}
