package io.github.latencybudget.report;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** Draws how many sequences were decoded together over the time of a run, and when prompts were taken meanwhile. */
final class BatchOverTime {

    private static final int BINS = 181;
    private static final double SECONDS = 1e9;
    private static final double MOST_IN_MILLISECONDS = 2e9;
    private static final String STRIP = "8";

    /** Two prefills that are closer in the figure than this are drawn as one. */
    private static final double TOGETHER = 0.5;

    private BatchOverTime() {}

    static Optional<Plot> plot(Measurement measurement) {
        List<EngineStep> steps = measurement.steps();
        if (measurement.conditions().concurrency() == 1 || steps.isEmpty()) {
            return Optional.empty();
        }
        long origin = steps.get(0).startNanos();
        double end = steps.stream().mapToLong(s -> s.endNanos() - origin).max().getAsLong();
        if (end <= 0) {
            return Optional.empty();
        }
        int most = steps.stream().mapToInt(s -> s.requests().size()).max().getAsInt();
        boolean isLong = end > MOST_IN_MILLISECONDS;
        Axis x = new Axis(0, end, Plot.LEFT, Plot.RIGHT, isLong ? SECONDS : Axis.MILLISECONDS);
        Axis y = new Axis(
                0, 1.08 * Math.max(most, measurement.conditions().concurrency()), Plot.BOTTOM, Plot.TOP, Axis.ONE);
        double[] batch = new double[BINS];
        double[] decoding = new double[BINS];
        double prefill = 0;
        for (EngineStep step : steps) {
            if (step.kind() == EngineStep.Kind.PREFILL) {
                prefill += step.endNanos() - step.startNanos();
            } else {
                spread(step, origin, end / BINS, batch, decoding);
            }
        }
        boolean isBroken = DoubleStream.of(decoding).anyMatch(d -> d == 0);
        return Optional.of(new Plot(
                "The batch over the time of the run",
                String.format(
                        Locale.ROOT,
                        "At most %d sequences together; prefill took %.0f%% of the time",
                        most,
                        100 * prefill / end),
                String.format(
                        Locale.ROOT,
                        "Prefill took %.0f%% of the time.%s",
                        100 * prefill / end,
                        isBroken ? " Where the line breaks off, nothing was decoded." : ""),
                isLong ? "time, s" : "time, ms",
                "sequences decoded together",
                x.ticks(),
                y.ticks().stream().filter(t -> !t.label().contains(".")).toList(),
                List.of(
                        new Plot.Line("prefill", strip(steps, origin, x)),
                        new Plot.Line("first", line(batch, decoding, end / BINS, x, y))),
                List.of(),
                List.of(),
                List.of(new Plot.Key("first", "sequences in the batch"), new Plot.Key("prefill", "prefill"))));
    }

    /** Adds a step to the bins that it lies in, by the time that it spends in each. */
    private static void spread(EngineStep step, long origin, double width, double[] batch, double[] decoding) {
        double from = step.startNanos() - origin;
        double to = step.endNanos() - origin;
        for (int bin = bin(from, width); bin <= bin(to, width); bin++) {
            double inBin = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
            if (inBin > 0) {
                batch[bin] += inBin * step.requests().size();
                decoding[bin] += inBin;
            }
        }
    }

    private static int bin(double nanos, double width) {
        return Math.max(0, Math.min(BINS - 1, (int) (nanos / width)));
    }

    private static String line(double[] batch, double[] decoding, double width, Axis x, Axis y) {
        Plot.Pen pen = new Plot.Pen();
        for (int bin = 0; bin < BINS; bin++) {
            if (decoding[bin] == 0) {
                pen.up();
            } else {
                String at = y.at(batch[bin] / decoding[bin]);
                pen.to(x.at(bin * width), at).to(x.at((bin + 1) * width), at);
            }
        }
        return pen.path();
    }

    private static String strip(List<EngineStep> steps, long origin, Axis x) {
        StringBuilder path = new StringBuilder();
        double from = Double.NEGATIVE_INFINITY;
        double to = Double.NEGATIVE_INFINITY;
        for (EngineStep step : steps) {
            if (step.kind() == EngineStep.Kind.PREFILL) {
                double start = x.place(step.startNanos() - origin);
                if (start - to > TOGETHER) {
                    append(path, from, to);
                    from = start;
                }
                to = Math.max(start + TOGETHER, x.place(step.endNanos() - origin));
            }
        }
        append(path, from, to);
        return path.toString();
    }

    private static void append(StringBuilder path, double from, double to) {
        if (to > from) {
            path.append(String.format(Locale.ROOT, "M%s %sH%s", Axis.text(from), STRIP, Axis.text(to)));
        }
    }
}
