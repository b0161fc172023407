package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import io.github.latencybudget.trace.ServerMetrics.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a server counted of its own work during a run, beside what the client saw. */
final class ServerCounts {

    private static final double NANOS_PER_SECOND = 1e9;

    private ServerCounts() {}

    /** {@return one per histogram; none where the server was not asked} */
    static List<Fact> of(Measurement measurement) {
        Optional<ServerMetrics> server = measurement.watch().server();
        if (server.isEmpty()) {
            return List.of();
        }
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("Read at", server.get().source()));
        server.get()
                .histograms()
                .forEach((about, histogram) -> facts.add(new Fact(about, text(about, histogram, measurement))));
        if (server.get().histograms().isEmpty()) {
            facts.add(new Fact("Counted", "nothing that is known here, from the beginning of the run to its end"));
        }
        others(server.get(), measurement).ifPresent(text -> facts.add(new Fact("Whose requests", text)));
        return facts;
    }

    private static String text(String about, Histogram histogram, Measurement measurement) {
        String client = metric(about)
                .map(metric -> Distribution.of(metric, measurement.completed()))
                .filter(values -> values.size() > 0)
                .map(values -> String.format(
                        Locale.ROOT,
                        "; the client saw P50 %s, P95 %s",
                        millis(values, Percentile.P50),
                        millis(values, Percentile.P95)))
                .orElse("");
        return String.format(
                Locale.ROOT,
                "P50 %s, P95 %s, mean %s of %d values (%s)%s",
                range(histogram, Percentile.P50),
                range(histogram, Percentile.P95),
                millis(histogram.sumSeconds() / histogram.count()),
                histogram.count(),
                histogram.name(),
                client);
    }

    private static Optional<Metric> metric(String label) {
        return Arrays.stream(Metric.values())
                .filter(m -> m.label().equals(label))
                .findFirst();
    }

    private static String range(Histogram histogram, Percentile percentile) {
        if (histogram.count() > Integer.MAX_VALUE) {
            return "unknown";
        }
        return histogram
                .range(percentile.rank((int) histogram.count()))
                .map(ServerCounts::words)
                .orElse("unknown");
    }

    private static String words(Range range) {
        if (range.atMostSeconds() == null) {
            return "over " + millis(range.aboveSeconds());
        }
        return range.aboveSeconds() == 0
                ? "up to " + millis(range.atMostSeconds())
                : String.format(
                        Locale.ROOT, "from %s to %s", millis(range.aboveSeconds()), millis(range.atMostSeconds()));
    }

    private static Optional<String> others(ServerMetrics server, Measurement measurement) {
        Histogram counted =
                server.histograms().getOrDefault("E2E", server.histograms().get("TTFT"));
        if (counted == null || counted.count() == measurement.completed().size()) {
            return Optional.empty();
        }
        int own = measurement.completed().size();
        return Optional.of(String.format(
                Locale.ROOT,
                counted.count() > own
                        ? "the server counts %d where %d of this run completed: others are among them, of other clients or such as did not complete here"
                        : "the server counts %d where %d of this run completed: it had not counted all yet, or several servers are behind this address",
                counted.count(),
                own));
    }

    private static String millis(Distribution values, Percentile percentile) {
        return Quantity.of(
                Metric.Unit.NANOSECONDS, values.percentile(percentile).orElseThrow());
    }

    private static String millis(double seconds) {
        return Quantity.of(Metric.Unit.NANOSECONDS, seconds * NANOS_PER_SECOND);
    }
}
