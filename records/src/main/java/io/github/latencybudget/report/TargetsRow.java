package io.github.latencybudget.report;

import io.github.latencybudget.baseline.Change;
import io.github.latencybudget.baseline.TargetRatio;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * One metric at one prompt length on two targets, as text. Of a rate, P95 is what 95% of the requests reach.
 *
 * @param typical the factor of the typical request, with its bounds
 * @param p95 the factor of the P95, with its bounds
 */
record TargetsRow(
        String name,
        String firstP50,
        String firstP95,
        String firstP99,
        String secondP50,
        String secondP95,
        String secondP99,
        String typical,
        String p95) {

    private static final String NONE = "-";
    private static final List<Metric> METRICS =
            List.of(Metric.TTFT, Metric.ITL, Metric.TPOT, Metric.E2E, Metric.DECODE_TGS);

    static List<TargetsRow> of(Targets targets) {
        TreeSet<Integer> lengths = new TreeSet<>(targets.first()
                .measurement()
                .conditions()
                .requestsByPromptTokens()
                .keySet());
        lengths.addAll(targets.second()
                .measurement()
                .conditions()
                .requestsByPromptTokens()
                .keySet());
        List<TargetsRow> rows = new ArrayList<>();
        for (int length : lengths) {
            METRICS.stream()
                    .filter(m -> m != Metric.DECODE_TGS || isMemoryKnown(targets))
                    .map(m -> of(targets, m, length))
                    .forEach(rows::add);
        }
        return rows;
    }

    /** Without it a rate says nothing. */
    private static boolean isMemoryKnown(Targets targets) {
        return targets.first().measurement().peakDeviceMemoryBytes().isPresent()
                && targets.second().measurement().peakDeviceMemoryBytes().isPresent();
    }

    private static TargetsRow of(Targets targets, Metric metric, int length) {
        Distribution first = values(targets.first().measurement(), metric, length);
        Distribution second = values(targets.second().measurement(), metric, length);
        return new TargetsRow(
                String.format(Locale.ROOT, "%s, %d tokens", metric.label(), length),
                percentile(metric, first, 50),
                percentile(metric, first, 95),
                percentile(metric, first, 99),
                percentile(metric, second, 50),
                percentile(metric, second, 95),
                percentile(metric, second, 99),
                factor(targets, metric, length, Change.Statistic.TYPICAL),
                factor(targets, metric, length, Change.Statistic.P95));
    }

    private static Distribution values(Measurement measurement, Metric metric, int length) {
        return Distribution.of(
                metric,
                measurement.completed().stream()
                        .filter(t -> t.promptTokens() == length)
                        .toList());
    }

    private static String percentile(Metric metric, Distribution values, int percent) {
        int of = metric.unit() == Metric.Unit.NANOSECONDS ? percent : 100 - percent;
        return values.size() == 0
                ? NONE
                : Quantity.of(metric, values.percentile(Percentile.of(of)).getAsDouble());
    }

    private static String factor(Targets targets, Metric metric, int length, Change.Statistic statistic) {
        return targets.both().ratios().stream()
                .filter(r -> r.metric() == metric && r.promptTokens() == length && r.statistic() == statistic)
                .filter(r -> r.ratio().isPresent())
                .map(TargetsRow::factor)
                .findFirst()
                .orElse(NONE);
    }

    private static String factor(TargetRatio ratio) {
        String observed = times(ratio.ratio().getAsDouble());
        return ratio.lower().isEmpty() || ratio.upper().isEmpty()
                ? observed
                : String.format(
                        Locale.ROOT,
                        "%s (%s to %s)",
                        observed,
                        times(ratio.lower().getAsDouble()),
                        times(ratio.upper().getAsDouble()));
    }

    private static String times(double factor) {
        return String.format(Locale.ROOT, factor < 0.1 ? "%.4f" : "%.2f", factor);
    }
}
