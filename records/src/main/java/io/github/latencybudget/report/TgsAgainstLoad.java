package io.github.latencybudget.report;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.metric.SystemThroughput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Draws the output rate of a sweep against its load, beside the ideal of as many times the first as the load is. Where the device
 * memory of a step could not be read, a rate in tokens says nothing, and its multiple of the first is drawn instead.
 */
final class TgsAgainstLoad {

    private TgsAgainstLoad() {}

    private record Point(Sweep.Step step, double value) {}

    static Optional<Plot> plot(Sweep sweep) {
        boolean isRate = sweep.steps().stream()
                .allMatch(s -> s.measurement().peakDeviceMemoryBytes().isPresent());
        List<Point> points = new ArrayList<>();
        for (Sweep.Step step : sweep.steps()) {
            OptionalDouble value = isRate ? tgs(step) : sweep.timesTheFirst(step);
            value.ifPresent(v -> points.add(new Point(step, v)));
        }
        if (points.isEmpty() || points.get(0).step() != sweep.steps().get(0)) {
            return Optional.empty();
        }
        Point first = points.get(0);
        double highest = points.get(points.size() - 1).step().load();
        double most = points.stream().mapToDouble(Point::value).max().getAsDouble();
        double perLoad = first.value() / first.step().load();
        // An ideal far above what was reached would press that to the ground, so it leaves the figure there.
        double top = 1.08 * Math.min(perLoad * highest, 2 * most);
        Axis x = new Axis(0, 1.04 * highest, Plot.LEFT, Plot.RIGHT, Axis.ONE);
        Axis y = new Axis(0, Math.max(top, 1.08 * most), Plot.BOTTOM, Plot.TOP, Axis.ONE);
        double end = Math.min(highest, y.max() / perLoad);
        return Optional.of(new Plot(
                isRate
                        ? "System TGS against the load"
                        : "Output rate against the load, as a multiple of the first step's",
                sweep.text(),
                "",
                sweep.unit() == Sweep.Unit.CONCURRENCY ? "requests in flight (concurrency)" : "requests due per second",
                isRate ? "tokens/s" : "times the first",
                x.ticks(),
                y.ticks(),
                List.of(
                        new Plot.Line(
                                "ideal",
                                new Plot.Pen()
                                        .to(x.at(0), y.at(0))
                                        .to(x.at(end), y.at(perLoad * end))
                                        .path()),
                        new Plot.Line("first", line(points, x, y))),
                points.stream()
                        .map(p -> new Plot.Dot(
                                p.step().holds() ? "observed pass" : "observed breach",
                                x.at(p.step().load()),
                                y.at(p.value())))
                        .toList(),
                List.of(),
                keys(points, sweep)));
    }

    private static List<Plot.Key> keys(List<Point> points, Sweep sweep) {
        List<Plot.Key> keys = new ArrayList<>();
        if (points.stream().anyMatch(p -> p.step().holds())) {
            keys.add(new Plot.Key("observed pass", "the budget holds"));
        }
        if (points.stream().anyMatch(p -> !p.step().holds())) {
            keys.add(new Plot.Key("observed breach", "it was not shown to hold"));
        }
        double first = sweep.steps().get(0).load();
        keys.add(new Plot.Key(
                "ideal",
                first == 1
                        ? "ideal: 1 x n"
                        : String.format(
                                Locale.ROOT,
                                "ideal: as from 0 to %s",
                                sweep.unit().text(first))));
        return keys;
    }

    private static String line(List<Point> points, Axis x, Axis y) {
        Plot.Pen pen = new Plot.Pen();
        points.forEach(p -> pen.to(x.at(p.step().load()), y.at(p.value())));
        return pen.path();
    }

    private static OptionalDouble tgs(Sweep.Step step) {
        return SystemThroughput.of(step.measurement().traces()).stream()
                .mapToDouble(SystemThroughput::systemTgs)
                .findFirst();
    }
}
