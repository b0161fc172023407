package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.record.SweepEntry;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The steps of a sweep, one after the other.
 *
 * @param ofSteps what was shown of each step
 */
record SweepRun(Sweep sweep, List<Verdicts> ofSteps) {

    /** What one step may have at most; prompts of two steps are never the same. */
    private static final long PROMPTS_PER_STEP = 1_000_000;

    /** Measures one step. */
    interface Measuring {
        Measurement measure(Scenario scenario, long firstPrompt);
    }

    /** {@return what was shown of each rule by the sweep as a whole} */
    Verdicts verdicts() {
        return sweep.verdicts(ofSteps);
    }

    /** {@return the steps as a record holds them} */
    SweepEntry entry() {
        return SweepEntry.of(sweep, ofSteps.stream().map(JudgementEntry::of).toList());
    }

    /**
     * Measures and judges the steps.
     *
     * @param measuring measures a step
     * @param soFar takes the steps that were measured, after each
     * @throws MeasurementException where a step cannot be measured, or the thread is interrupted: what has to hold may not have been
     *     measured
     */
    static SweepRun of(
            SweepPlan plan, Scenario scenario, Budget budget, Measuring measuring, Consumer<SweepRun> soFar) {
        List<Sweep.Step> steps = new ArrayList<>();
        List<Verdicts> ofSteps = new ArrayList<>();
        while (true) {
            double load = plan.loads().get(steps.size());
            Measurement measurement = measured(plan, load, scenario, measuring, steps.size() * PROMPTS_PER_STEP);
            Verdicts verdicts = Judge.judge(budget, measurement);
            steps.add(Sweep.Step.of(load, verdicts));
            ofSteps.add(verdicts);
            Sweep sweep = new Sweep(plan.unit(), plan.atLeast(), plan.loads(), steps);
            SweepRun run = new SweepRun(sweep, List.copyOf(ofSteps));
            soFar.accept(run);
            if (Thread.currentThread().isInterrupted()) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "the sweep was interrupted at %s: run the gate again",
                        plan.unit().text(load)));
            }
            boolean isOver = verdicts.status() == Status.BREACH && plan.stopAtBreach();
            if (isOver || sweep.notMeasured().isEmpty()) {
                return run;
            }
        }
    }

    private static Measurement measured(
            SweepPlan plan, double load, Scenario scenario, Measuring measuring, long firstPrompt) {
        try {
            return measuring.measure(plan.at(load, scenario), firstPrompt);
        } catch (MeasurementException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "the sweep broke off at %s: %s",
                            plan.unit().text(load),
                            e.getMessage()),
                    e);
        }
    }
}
