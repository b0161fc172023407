package io.github.latencybudget.record;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.record.JudgementEntry.EvidenceEntry;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Runs under one load after the other as a record holds them. The record's own measurement and judgement are those of the step that
 * decides.
 *
 * @param unit what a load is counted in
 * @param atLeast the load up to which every step has to hold
 * @param planned the loads, in ascending order
 * @param steps those that were measured
 * @param unfinished what was measured of the step that was stopped or broke, which is the one after these; null where none was
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record SweepEntry(
        Sweep.Unit unit,
        double atLeast,
        List<Double> planned,
        List<StepEntry> steps,
        @Nullable MeasurementEntry unfinished) {

    /**
     * @throws NullPointerException where a file leaves out what every sweep has
     * @throws IllegalArgumentException where not exactly one step has its measurement in the record itself, or no step is left that
     *     can be unfinished
     */
    public SweepEntry {
        Objects.requireNonNull(unit, "unit");
        planned = List.copyOf(planned);
        steps = List.copyOf(steps);
        if (steps.stream().filter(s -> s.measurement() == null).count() != 1) {
            throw new IllegalArgumentException(
                    "exactly one step of a sweep decides, and has no measurement beside that of the record");
        }
        if (unfinished != null && steps.size() >= planned.size()) {
            throw new IllegalArgumentException("a step is unfinished, and all were measured");
        }
    }

    /**
     * One step.
     *
     * @param load in the unit of the sweep
     * @param measurement what was measured; null for the step that decides, whose the record itself has
     * @param judgement what was shown
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record StepEntry(double load, @Nullable MeasurementEntry measurement, JudgementEntry judgement) {

        /** @throws NullPointerException where a file leaves out what every step has */
        public StepEntry {
            Objects.requireNonNull(judgement, "judgement");
        }
    }

    /**
     * {@return the entry for a sweep}
     *
     * @param judgements of its steps
     */
    public static SweepEntry of(Sweep sweep, List<JudgementEntry> judgements) {
        List<Sweep.Step> steps = sweep.steps();
        Sweep.Step deciding = sweep.deciding();
        return new SweepEntry(
                sweep.unit(),
                sweep.atLeast(),
                sweep.planned(),
                IntStream.range(0, steps.size())
                        .mapToObj(i -> new StepEntry(
                                steps.get(i).load(),
                                steps.get(i) == deciding
                                        ? null
                                        : MeasurementEntry.of(steps.get(i).measurement()),
                                judgements.get(i)))
                        .toList(),
                null);
    }

    SweepEntry with(MeasurementEntry unfinished) {
        return new SweepEntry(unit, atLeast, planned, steps, unfinished);
    }

    /**
     * {@return the sweep again}
     *
     * @param own the record's own measurement
     * @throws IllegalArgumentException where another step decides than the one whose measurement is the record's own
     */
    public Sweep toSweep(Measurement own) {
        Sweep sweep = new Sweep(
                unit,
                atLeast,
                planned,
                steps.stream()
                        .map(s -> step(
                                s.load(),
                                s.measurement() == null ? own : s.measurement().toMeasurement(),
                                s.judgement()))
                        .toList());
        if (sweep.deciding().measurement() != own) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s decides, and the measurement of the record is that of another step",
                    unit.text(sweep.deciding().load())));
        }
        return sweep;
    }

    /** {@return a step with what was shown of it} */
    public static Sweep.Step step(double load, Measurement measurement, JudgementEntry judgement) {
        return new Sweep.Step(load, measurement, judgement.status(), requestsNeeded(judgement));
    }

    private static OptionalInt requestsNeeded(JudgementEntry judgement) {
        List<RuleEntry> open = judgement.rules().stream()
                .filter(rule -> rule.status() == Status.INCONCLUSIVE)
                .toList();
        List<Integer> needed = open.stream()
                .map(RuleEntry::evidence)
                .filter(Objects::nonNull)
                .filter(e -> e.requestsNeeded() != null && e.requestsNeeded() > e.requests())
                .map(EvidenceEntry::requestsNeeded)
                .toList();
        // Where something else keeps one of them open, no number of requests decides the step.
        return judgement.status() == Status.INCONCLUSIVE
                        && judgement.findings().isEmpty()
                        && needed.size() == open.size()
                ? needed.stream().mapToInt(Integer::intValue).max()
                : OptionalInt.empty();
    }
}
