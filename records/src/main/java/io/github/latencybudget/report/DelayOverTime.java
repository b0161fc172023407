package io.github.latencybudget.report;

import io.github.latencybudget.budget.LoadText;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Draws how long after they were due the requests of an open loop were sent, over the time that they were due. */
final class DelayOverTime {

    private static final int BINS = 181;
    private static final double SECONDS = 1e9;
    private static final double MOST_IN_MILLISECONDS = 2e9;

    private DelayOverTime() {}

    static Optional<Plot> plot(Measurement measurement) {
        List<TokenTrace> sent = measurement.traces().stream()
                .filter(t -> t.scheduleDelayNanos().isPresent())
                .toList();
        if (sent.size() < 2) {
            return Optional.empty();
        }
        long origin = sent.get(0).startNanos();
        double end = sent.get(sent.size() - 1).startNanos() - origin;
        double longest = sent.stream()
                .mapToLong(t -> t.scheduleDelayNanos().getAsLong())
                .max()
                .getAsLong();
        if (end <= 0 || longest <= 0) {
            return Optional.empty();
        }
        boolean isLong = end > MOST_IN_MILLISECONDS;
        Axis x = new Axis(0, end, Plot.LEFT, Plot.RIGHT, isLong ? SECONDS : Axis.MILLISECONDS);
        Axis y = new Axis(0, 1.08 * longest, Plot.BOTTOM, Plot.TOP, Axis.MILLISECONDS);
        return Optional.of(new Plot(
                "Schedule delay over the time of the run",
                LoadText.scheduleDelay(measurement).orElseThrow(),
                sent.size() > BINS
                        ? String.format(
                                Locale.ROOT, "Each point is the longest of those in a %dst part of the time.", BINS)
                        : "",
                isLong ? "due at, s" : "due at, ms",
                "sent after, ms",
                x.ticks(),
                y.ticks(),
                List.of(),
                dots(sent, origin, end, x, y),
                List.of(),
                List.of(new Plot.Key("dot", "a request"))));
    }

    private static List<Plot.Dot> dots(List<TokenTrace> sent, long origin, double end, Axis x, Axis y) {
        List<Plot.Dot> dots = new ArrayList<>();
        if (sent.size() <= BINS) {
            sent.forEach(t -> dots.add(new Plot.Dot(
                    "dot",
                    x.at(t.startNanos() - origin),
                    y.at(t.scheduleDelayNanos().getAsLong()))));
            return dots;
        }
        long[] longest = new long[BINS];
        Arrays.fill(longest, -1);
        for (TokenTrace trace : sent) {
            int bin = (int) Math.min(BINS - 1, (trace.startNanos() - origin) / end * BINS);
            longest[bin] = Math.max(longest[bin], trace.scheduleDelayNanos().getAsLong());
        }
        for (int bin = 0; bin < BINS; bin++) {
            if (longest[bin] >= 0) {
                dots.add(new Plot.Dot("dot", x.at((bin + 0.5) * end / BINS), y.at(longest[bin])));
            }
        }
        return dots;
    }
}
