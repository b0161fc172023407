package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.metric.Metric;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** What the console says of a sweep: a line per step, and what came of it. */
final class SweepLines {

    private SweepLines() {}

    static List<String> of(Sweep sweep) {
        return Stream.concat(sweep.steps().stream().map(step -> line(sweep, step)), Stream.of("sweep: " + sweep.text()))
                .toList();
    }

    private static String line(Sweep sweep, Sweep.Step step) {
        OptionalDouble efficiency = sweep.efficiency(step);
        return String.format(
                Locale.ROOT,
                "%s  %s%s",
                step.status().name().replace('_', ' '),
                sweep.unit().text(step.load()),
                efficiency.isEmpty()
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ": %s of the ideal output rate",
                                Quantity.of(Metric.Unit.SHARE, efficiency.getAsDouble())));
    }
}
