package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** Draws the TTFT of each request in the order of their start, each beside the limit for its prompt length. */
final class TtftByRequest {

    private static final int MOST_DOTS = 400;

    private TtftByRequest() {}

    static Optional<Plot> plot(Measurement measurement, List<RuleEntry> rules) {
        List<TokenTrace> traces = measurement.traces();
        double[] ttft = traces.stream().mapToDouble(TtftByRequest::ttft).toArray();
        List<RuleEntry> limits = rules.stream()
                .filter(r -> r.limits(Metric.TTFT))
                .filter(r -> traces.stream().anyMatch(t -> isAbout(r, t)))
                .toList();
        double top = DoubleStream.concat(
                        DoubleStream.of(ttft).filter(v -> v >= 0),
                        limits.stream().mapToDouble(RuleEntry::limit))
                .max()
                .orElse(0);
        if (top <= 0 || DoubleStream.of(ttft).noneMatch(v -> v >= 0)) {
            return Optional.empty();
        }
        Axis x = new Axis(-0.5, traces.size() - 0.5, Plot.LEFT, Plot.RIGHT, Axis.ONE);
        Axis y = new Axis(0, 1.08 * top, Plot.BOTTOM, Plot.TOP, Axis.MILLISECONDS);
        List<Plot.Line> lines = new ArrayList<>();
        List<Plot.Key> keys = new ArrayList<>(List.of(new Plot.Key("dot", "a request")));
        for (RuleEntry limit : limits) {
            lines.add(new Plot.Line("limit", steps(limit, traces, x, y)));
            keys.add(new Plot.Key("limit", limit.rule()));
        }
        List<Plot.Dot> dots = dots(ttft, x, y);
        if (dots.stream().anyMatch(d -> d.style().equals("none"))) {
            keys.add(1, new Plot.Key("none", "a request that did not complete"));
        }
        int perDot = perDot(ttft.length);
        return Optional.of(new Plot(
                "TTFT of each request, in order",
                String.format(
                        Locale.ROOT,
                        "%d requests, the longest TTFT %s",
                        traces.size(),
                        Quantity.of(Metric.TTFT, DoubleStream.of(ttft).max().getAsDouble())),
                perDot == 1
                        ? ""
                        : String.format(Locale.ROOT, "Each point is the longest of %d requests in a row.", perDot),
                "request",
                "TTFT, ms",
                x.ticks().stream().filter(t -> !t.label().contains(".")).toList(),
                y.ticks(),
                lines,
                dots,
                Plot.atTheRight(
                        limits.stream().map(l -> y.place(l.limit())).toList(),
                        limits.stream()
                                .map(l -> Quantity.exact(Metric.TTFT, l.limit()))
                                .toList()),
                keys));
    }

    /** Below zero for a request that did not complete or was not streamed, which has no TTFT. */
    private static double ttft(TokenTrace trace) {
        return trace.outcome() == Outcome.COMPLETED
                        && StreamMetrics.ttftNanos(trace).isPresent()
                ? Math.max(0, StreamMetrics.ttftNanos(trace).getAsLong())
                : -1;
    }

    private static boolean isAbout(RuleEntry rule, TokenTrace trace) {
        return rule.promptTokens() == null || rule.promptTokens().includes(trace.promptTokens());
    }

    private static String steps(RuleEntry limit, List<TokenTrace> traces, Axis x, Axis y) {
        Plot.Pen pen = new Plot.Pen();
        boolean isOn = false;
        for (int i = 0; i < traces.size(); i++) {
            boolean isAbout = isAbout(limit, traces.get(i));
            if (isAbout && !isOn) {
                pen.up().to(x.at(i - 0.5), y.at(limit.limit()));
            } else if (!isAbout && isOn) {
                pen.to(x.at(i - 0.5), y.at(limit.limit()));
            }
            isOn = isAbout;
        }
        if (isOn) {
            pen.to(x.at(traces.size() - 0.5), y.at(limit.limit()));
        }
        return pen.path();
    }

    private static List<Plot.Dot> dots(double[] ttft, Axis x, Axis y) {
        int perDot = perDot(ttft.length);
        List<Plot.Dot> dots = new ArrayList<>();
        for (int from = 0; from < ttft.length; from += perDot) {
            double longest = -1;
            boolean allCompleted = true;
            int to = Math.min(from + perDot, ttft.length);
            for (int i = from; i < to; i++) {
                longest = Math.max(longest, ttft[i]);
                allCompleted &= ttft[i] >= 0;
            }
            String at = x.at((from + to - 1) / 2.0);
            if (longest >= 0) {
                dots.add(new Plot.Dot("dot", at, y.at(longest)));
            }
            if (!allCompleted) {
                dots.add(new Plot.Dot("none", at, y.at(0)));
            }
        }
        return dots;
    }

    private static int perDot(int requests) {
        return (requests + MOST_DOTS - 1) / MOST_DOTS;
    }
}
