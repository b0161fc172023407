package io.github.latencybudget.report;

import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Draws how many requests were in flight over the time of a run; of an open loop, those that waited to be sent too. */
final class InFlightOverTime {

    private static final int BINS = 181;
    private static final double SECONDS = 1e9;
    private static final double MOST_IN_MILLISECONDS = 2e9;

    private InFlightOverTime() {}

    static Optional<Plot> plot(Measurement measurement) {
        boolean isOpen = measurement.conditions().openLoop().isPresent();
        InFlight sent = InFlight.sent(measurement.traces());
        if (sent.peak() == 0 || !isOpen && measurement.conditions().concurrency() == 1) {
            return Optional.empty();
        }
        InFlight due = InFlight.due(measurement.traces());
        double end = due.steps().get(due.steps().size() - 1).nanos();
        if (end <= 0) {
            return Optional.empty();
        }
        boolean isLong = end > MOST_IN_MILLISECONDS;
        Axis x = new Axis(0, end, Plot.LEFT, Plot.RIGHT, isLong ? SECONDS : Axis.MILLISECONDS);
        Axis y = new Axis(0, 1.08 * due.peak(), Plot.BOTTOM, Plot.TOP, Axis.ONE);
        List<Plot.Line> lines = new ArrayList<>();
        List<Plot.Key> keys = new ArrayList<>();
        if (due.peak() > sent.peak()) {
            lines.add(new Plot.Line("second", line(due, end, x, y)));
            keys.add(new Plot.Key("second", "with those that wait to be sent"));
        }
        lines.add(new Plot.Line("first", line(sent, end, x, y)));
        keys.add(0, new Plot.Key("first", "in flight"));
        return Optional.of(new Plot(
                "Requests in flight over the time of the run",
                String.format(
                        Locale.ROOT,
                        "%.1f in flight on average, %d at most, %d with those that waited",
                        sent.mean(),
                        sent.peak(),
                        due.peak()),
                sent.steps().size() > BINS
                        ? String.format(Locale.ROOT, "The most in each %dst part of the time.", BINS)
                        : "",
                isLong ? "time, s" : "time, ms",
                "requests in flight",
                x.ticks(),
                y.ticks().stream().filter(t -> !t.label().contains(".")).toList(),
                lines,
                List.of(),
                List.of(),
                keys));
    }

    /** The most within each bin: a peak is what a target has to stand. */
    private static String line(InFlight inFlight, double end, Axis x, Axis y) {
        int[] most = new int[BINS];
        int now = 0;
        int from = 0;
        for (InFlight.Step step : inFlight.steps()) {
            int bin = (int) Math.min(BINS - 1, Math.max(0, step.nanos() / end * BINS));
            fill(most, from, bin, now);
            now = step.requests();
            from = bin;
            most[bin] = Math.max(most[bin], now);
        }
        fill(most, from, BINS - 1, now);
        Plot.Pen pen = new Plot.Pen();
        for (int bin = 0; bin < BINS; bin++) {
            pen.to(x.at(bin * end / BINS), y.at(most[bin])).to(x.at((bin + 1) * end / BINS), y.at(most[bin]));
        }
        return pen.path();
    }

    private static void fill(int[] most, int from, int to, int requests) {
        for (int bin = from; bin <= to; bin++) {
            most[bin] = Math.max(most[bin], requests);
        }
    }
}
