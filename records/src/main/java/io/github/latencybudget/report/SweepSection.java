package io.github.latencybudget.report;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.record.SweepEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A sweep in {@code report.json}.
 *
 * @param unit what a load is counted in
 * @param atLeast the load up to which every step has to hold
 * @param highestThatHolds the highest load up to which every step was shown to hold; null where the first was not
 * @param decidingLoad that of the step that the attempt's judgement is of
 * @param notMeasured the loads that were planned and not measured
 */
record SweepSection(
        Sweep.Unit unit,
        double atLeast,
        @Nullable Double highestThatHolds,
        double decidingLoad,
        List<Double> notMeasured,
        List<Step> steps) {

    /**
     * One step.
     *
     * @param requests how many were measured, however they ended
     * @param systemTgs null where its conditions are not known
     * @param efficiency the output rate as a share of the ideal; null where there is none
     */
    record Step(
            double load,
            Status status,
            int requests,
            @Nullable Double systemTgs,
            @Nullable Double efficiency,
            double inFlightMean,
            int inFlightPeak,
            JudgementEntry judgement) {

        private static Step of(Sweep sweep, Sweep.Step step, JudgementEntry judgement) {
            InFlight inFlight = InFlight.sent(step.measurement().traces());
            return new Step(
                    step.load(),
                    step.status(),
                    step.measurement().traces().size(),
                    ReportDocument.systemTgs(step.measurement()).orElse(null),
                    orNull(sweep.efficiency(step)),
                    inFlight.mean(),
                    inFlight.peak(),
                    judgement);
        }
    }

    static Optional<SweepSection> of(GateRecord record, Optional<Measurement> measured) {
        SweepEntry entry = record.sweep();
        if (entry == null || measured.isEmpty()) {
            return Optional.empty();
        }
        Sweep sweep = entry.toSweep(measured.get());
        return Optional.of(new SweepSection(
                sweep.unit(),
                sweep.atLeast(),
                orNull(sweep.highestThatHolds()),
                sweep.deciding().load(),
                sweep.notMeasured(),
                IntStream.range(0, sweep.steps().size())
                        .mapToObj(i -> Step.of(
                                sweep,
                                sweep.steps().get(i),
                                entry.steps().get(i).judgement()))
                        .toList()));
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }
}
