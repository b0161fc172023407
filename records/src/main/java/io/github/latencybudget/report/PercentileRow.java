package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.util.Optional;

/** A time with its percentiles, as text. */
record PercentileRow(String name, int count, String p50, String p95, String p99, String max) {

    /** {@return the row of these nanoseconds; empty where there are none} */
    static Optional<PercentileRow> of(String name, Distribution nanos) {
        return nanos.size() == 0
                ? Optional.empty()
                : Optional.of(new PercentileRow(
                        name,
                        nanos.size(),
                        percentile(nanos, Percentile.P50),
                        percentile(nanos, Percentile.P95),
                        percentile(nanos, Percentile.P99),
                        percentile(nanos, Percentile.of(100))));
    }

    private static String percentile(Distribution nanos, Percentile percentile) {
        return Quantity.of(Metric.Unit.NANOSECONDS, nanos.percentile(percentile).getAsDouble());
    }
}
