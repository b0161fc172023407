package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.SweepEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a sweep as text.
 *
 * @param text what came of it
 * @param figure the output rate against the load; null where no step gave any
 */
record SweepView(String text, List<Row> steps, @Nullable Plot figure) {

    private static final String NONE = "-";

    /** A step. */
    record Row(
            String load,
            String status,
            String style,
            String tgs,
            String efficiency,
            String inFlight,
            String ttft,
            String itl,
            String broken) {}

    static Optional<SweepView> of(GateRecord record, Optional<Measurement> measured) {
        SweepEntry entry = record.sweep();
        if (entry == null || measured.isEmpty()) {
            return Optional.empty();
        }
        Sweep sweep = entry.toSweep(measured.get());
        return Optional.of(new SweepView(
                sentence(text(record, sweep)),
                IntStream.range(0, entry.steps().size())
                        .mapToObj(i ->
                                row(sweep, sweep.steps().get(i), entry.steps().get(i)))
                        .toList(),
                TgsAgainstLoad.plot(sweep).orElse(null)));
    }

    /** {@return what came of it: of one that broke off, until then} */
    static String text(GateRecord record, Sweep sweep) {
        return record.judgement() == null ? sweep.textSoFar() : sweep.text();
    }

    boolean hasReasons() {
        return !reasons().isEmpty();
    }

    /** {@return of each step that does not hold, the first reason} */
    List<Fact> reasons() {
        return steps.stream()
                .filter(s -> !s.broken().isEmpty())
                .map(s -> new Fact(s.load(), s.broken()))
                .toList();
    }

    private static Row row(Sweep sweep, Sweep.Step step, SweepEntry.StepEntry entry) {
        return new Row(
                sweep.unit().text(step.load()),
                step.status().name().replace('_', ' '),
                style(step.status()),
                tgs(step.measurement()),
                inWords(sweep.efficiency(step), e -> Quantity.of(Metric.Unit.SHARE, e)),
                inFlight(step.measurement()),
                percentiles(Metric.TTFT, step.measurement()),
                percentiles(Metric.ITL, step.measurement()),
                Stream.concat(
                                entry.judgement().rules().stream()
                                        .filter(r -> r.status() != Status.PASS)
                                        .map(r -> r.reason() == null ? r.line() : r.line() + "; " + r.reason()),
                                entry.judgement().findings().stream().map(f -> f.sentence()))
                        .findFirst()
                        .orElse(""));
    }

    private static String style(Status status) {
        return switch (status) {
            case PASS -> "passed";
            case BREACH -> "breached";
            default -> status.name().toLowerCase(Locale.ROOT).replace('_', '-');
        };
    }

    /** A rate without the device memory that it was reached within says nothing. */
    private static String tgs(Measurement measurement) {
        return measurement.peakDeviceMemoryBytes().isEmpty()
                ? "not stated"
                : SystemThroughput.of(measurement.traces())
                        .map(s -> Quantity.of(Metric.REQUEST_TGS, s.systemTgs()))
                        .orElse(NONE);
    }

    private static String inFlight(Measurement measurement) {
        InFlight inFlight = InFlight.sent(measurement.traces());
        return inFlight.peak() == 0
                ? NONE
                : String.format(Locale.ROOT, "%.1f, %s", inFlight.mean(), unbroken("at most " + inFlight.peak()));
    }

    private static String percentiles(Metric metric, Measurement measurement) {
        Distribution values = Distribution.of(metric, measurement.completed());
        return values.size() == 0
                ? NONE
                : Stream.of(Percentile.P50, Percentile.P95, Percentile.P99)
                        .map(p -> unbroken(
                                Quantity.of(metric, values.percentile(p).orElseThrow())))
                        .reduce((a, b) -> a + " / " + b)
                        .orElseThrow();
    }

    /** A number is not to stand on another line than its unit. */
    private static String unbroken(String text) {
        return text.replace(' ', '\u00a0');
    }

    private interface Words {
        String of(double value);
    }

    private static String inWords(OptionalDouble value, Words words) {
        return value.isEmpty() ? NONE : words.of(value.getAsDouble());
    }

    private static String sentence(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }
}
