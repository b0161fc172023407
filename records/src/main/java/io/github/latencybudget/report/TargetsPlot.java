package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Draws which share of the values of two targets is at most how long. */
final class TargetsPlot {

    private static final int POINTS = 200;
    private static final int MOST_LENGTHS = 3;
    private static final List<Integer> SHARES = List.of(0, 25, 50, 75, 95);

    private TargetsPlot() {}

    static List<Plot> of(Targets targets) {
        Set<Integer> lengths = targets.first()
                .measurement()
                .conditions()
                .requestsByPromptTokens()
                .keySet();
        List<Optional<Plot>> plots = new ArrayList<>();
        for (Metric metric : List.of(Metric.TTFT, Metric.ITL)) {
            if (lengths.size() > MOST_LENGTHS) {
                plots.add(plot(targets, metric, "all prompts", t -> true));
            } else {
                lengths.forEach(length -> plots.add(plot(
                        targets,
                        metric,
                        String.format(Locale.ROOT, "prompts of %d tokens", length),
                        t -> t.promptTokens() == length)));
            }
        }
        return plots.stream().flatMap(Optional::stream).toList();
    }

    private static Optional<Plot> plot(Targets targets, Metric metric, String prompts, Predicate<TokenTrace> isMeant) {
        Distribution first = values(targets.first().measurement(), metric, isMeant);
        Distribution second = values(targets.second().measurement(), metric, isMeant);
        double end =
                Stream.of(first, second).mapToDouble(TargetsPlot::end).max().orElse(0);
        if (first.size() == 0 || second.size() == 0 || end <= 0) {
            return Optional.empty();
        }
        Axis x = new Axis(0, end, Plot.LEFT, Plot.RIGHT, Axis.MILLISECONDS);
        Axis y = new Axis(0, 100, Plot.BOTTOM, Plot.TOP, Axis.ONE);
        String nameOfFirst = targets.first().entry().name();
        String nameOfSecond = targets.second().entry().name();
        return Optional.of(new Plot(
                String.format(Locale.ROOT, "%s on both, %s", metric.label(), prompts),
                String.format(Locale.ROOT, "%s: %s. %s: %s", nameOfFirst, words(first), nameOfSecond, words(second)),
                "",
                metric.label() + ", ms",
                metric.isClusteredByRequest() ? "share of gaps, %" : "share of requests, %",
                x.ticks(),
                SHARES.stream().map(s -> new Axis.Tick(y.at(s), s.toString())).toList(),
                List.of(new Plot.Line("first", curve(first, x, y)), new Plot.Line("second", curve(second, x, y))),
                List.of(),
                List.of(),
                List.of(new Plot.Key("first", nameOfFirst), new Plot.Key("second", nameOfSecond))));
    }

    private static Distribution values(Measurement measurement, Metric metric, Predicate<TokenTrace> isMeant) {
        return Distribution.of(
                metric, measurement.completed().stream().filter(isMeant).toList());
    }

    /** A few very long values must not press all others into the left edge. */
    private static double end(Distribution values) {
        return values.size() == 0
                ? 0
                : Math.min(
                        values.max().getAsDouble(),
                        1.3 * values.percentile(Percentile.P99).getAsDouble());
    }

    private static String curve(Distribution values, Axis x, Axis y) {
        Plot.Pen pen = new Plot.Pen();
        for (int i = 0; i <= POINTS; i++) {
            double value = x.max() * i / POINTS;
            pen.to(x.at(value), y.at(100.0 * (values.size() - values.countAbove(value)) / values.size()));
        }
        return pen.path();
    }

    private static String words(Distribution values) {
        return String.format(
                Locale.ROOT,
                "P50 %s, P95 %s, P99 %s",
                percentile(values, Percentile.P50),
                percentile(values, Percentile.P95),
                percentile(values, Percentile.P99));
    }

    private static String percentile(Distribution values, Percentile percentile) {
        return Quantity.of(
                Metric.Unit.NANOSECONDS, values.percentile(percentile).getAsDouble());
    }
}
