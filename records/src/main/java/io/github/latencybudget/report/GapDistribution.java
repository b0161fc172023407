package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Draws which share of the gaps is at most how long, beside the limits. */
final class GapDistribution {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int BINS = 200;
    private static final double LABEL_ROW = 12;
    private static final List<Integer> SHARES = List.of(0, 25, 50, 75, 95);

    private GapDistribution() {}

    static Optional<Plot> plot(Measurement measurement, List<RuleEntry> rules) {
        Distribution gaps = Distribution.of(Metric.ITL, measurement.completed());
        List<RuleEntry> limits =
                rules.stream().filter(r -> r.limits(Metric.ITL)).toList();
        if (gaps.size() == 0 || gaps.max().getAsDouble() <= 0) {
            return Optional.empty();
        }
        Axis x = new Axis(0, end(gaps, limits), Plot.LEFT, Plot.RIGHT, Axis.MILLISECONDS);
        Axis y = new Axis(0, 100, Plot.BOTTOM, Plot.TOP, Axis.ONE);
        List<Plot.Line> lines = new ArrayList<>();
        List<Plot.LineLabel> labels = new ArrayList<>();
        List<Plot.Key> keys =
                new ArrayList<>(List.of(new Plot.Key("first", "share of the gaps that are at most as long")));
        lines.add(new Plot.Line("first", curve(gaps, x, y)));
        for (RuleEntry limit : limits) {
            lines.add(new Plot.Line(
                    "limit", String.format(Locale.ROOT, "M%s %sV%s", x.at(limit.limit()), Plot.TOP, Plot.BOTTOM)));
            labels.add(new Plot.LineLabel(
                    Axis.text(x.place(limit.limit()) + 4),
                    Axis.text(Plot.BOTTOM - 6 - LABEL_ROW * labels.size()),
                    Quantity.exact(Metric.ITL, limit.limit())));
            keys.add(new Plot.Key("limit", limit.rule()));
        }
        String max = Quantity.of(Metric.ITL, gaps.max().getAsDouble());
        int beyond = gaps.countAbove(x.max());
        return Optional.of(new Plot(
                "ITL: distribution of the gaps",
                String.format(
                        Locale.ROOT,
                        "%d gaps; P50 %s, P95 %s, P99 %s, max %s",
                        gaps.size(),
                        percentile(gaps, Percentile.P50),
                        percentile(gaps, Percentile.P95),
                        percentile(gaps, Percentile.P99),
                        max),
                beyond == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "%d of %d gaps lie right of the figure, the longest at %s.",
                                beyond,
                                gaps.size(),
                                max),
                "gap, ms",
                "share of gaps, %",
                x.ticks(),
                SHARES.stream().map(s -> new Axis.Tick(y.at(s), s.toString())).toList(),
                lines,
                List.of(),
                labels,
                keys));
    }

    /** A few very long gaps must not press all others into the left edge. */
    private static double end(Distribution gaps, List<RuleEntry> limits) {
        double limit = limits.stream().mapToDouble(RuleEntry::limit).max().orElse(0);
        double most = Math.max(limit, gaps.percentile(Percentile.P99).getAsDouble());
        double max = gaps.max().getAsDouble();
        return 1.1 * (max <= 1.5 * most ? Math.max(max, most) : most);
    }

    private static String curve(Distribution gaps, Axis x, Axis y) {
        Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        for (int rank = 1; rank <= gaps.size(); rank++) {
            histogram.recordValue((long) Math.max(0, gaps.atRank(rank)));
        }
        Plot.Pen pen = new Plot.Pen().to(x.at(0), y.at(0));
        for (HistogramIterationValue bin : histogram.linearBucketValues(Math.max(1, (long) (x.max() / BINS)))) {
            if (bin.getValueIteratedTo() > x.max()) {
                break;
            }
            pen.to(x.at(bin.getValueIteratedTo()), y.at(bin.getPercentile()));
        }
        return pen.to(x.at(x.max()), y.at(100.0 * (gaps.size() - gaps.countAbove(x.max())) / gaps.size()))
                .path();
    }

    private static String percentile(Distribution gaps, Percentile percentile) {
        return Quantity.of(Metric.ITL, gaps.percentile(percentile).getAsDouble());
    }
}
