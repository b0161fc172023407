package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.record.SweepEntry;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;

/** The steps of a sweep, one after the other. */
record SweepRun(Sweep sweep, SweepEntry entry) {

    /** What one step may have at most; prompts of two steps are never the same. */
    private static final long PROMPTS_PER_STEP = 1_000_000;

    /** Measures one step. */
    interface Measuring {
        Measurement measure(Scenario scenario, long firstPrompt);
    }

    /**
     * Measures and judges the steps.
     *
     * @param measuring measures a step
     * @throws MeasurementException where the thread is interrupted: what has to hold may not have been measured
     */
    static SweepRun of(SweepPlan plan, Scenario scenario, Budget budget, Measuring measuring) {
        List<Sweep.Step> steps = new ArrayList<>();
        List<JudgementEntry> judgements = new ArrayList<>();
        for (double load : plan.loads()) {
            Measurement measurement = measuring.measure(plan.at(load, scenario), steps.size() * PROMPTS_PER_STEP);
            if (Thread.currentThread().isInterrupted()) {
                throw new MeasurementException("the sweep was interrupted at %s: run the gate again"
                        .formatted(plan.unit().text(load)));
            }
            Verdicts verdicts = budget.evaluate(measurement);
            JudgementEntry judgement = JudgementEntry.of(verdicts);
            steps.add(SweepEntry.step(load, measurement, judgement));
            judgements.add(judgement);
            if (judgement.status() == Status.BREACH && plan.stopAtBreach()) {
                break;
            }
        }
        Sweep sweep = new Sweep(plan.unit(), plan.atLeast(), plan.loads(), steps);
        return new SweepRun(sweep, SweepEntry.of(sweep, judgements));
    }
}
