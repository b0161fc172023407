package io.github.latencybudget.record;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * What comes of a record when its raw times are judged once more by its budget.
 *
 * @param outcome whether that is what the record says
 * @param product the version of this product that has judged it first
 * @param differences what the record says otherwise, a sentence each, the first ones; empty where nothing is
 * @param judgement what is shown now, of a sweep as a whole; empty where nothing was or can be judged
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record JudgedAgain(
        Outcome outcome, String product, List<String> differences, Optional<JudgementEntry> judgement) {

    private static final int MOST_CHARACTERS = 500;

    /** Whether a record says what its raw times show. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Outcome {
        /** Nothing was judged. */
        NOT_JUDGED,
        /** It says what they show. */
        SAME,
        /** It says something else, and this version has judged it: somebody has changed it since. */
        ALTERED,
        /** It says something else, and another version has judged it, which may judge otherwise. */
        OTHER_VERSION
    }

    public JudgedAgain {
        differences = List.copyOf(differences);
    }

    static JudgedAgain of(GateRecord record) {
        String product = record.source().product();
        MeasurementEntry measurement = record.measurement();
        if (measurement == null || record.budget() == null) {
            return new JudgedAgain(Outcome.NOT_JUDGED, product, List.of(), Optional.empty());
        }
        List<String> differences = new ArrayList<>();
        Optional<JudgementEntry> now = Optional.empty();
        try {
            Budget budget = record.budget().toBudget();
            Measurement own = measurement.toMeasurement();
            Verdicts verdicts =
                    record.sweep() == null ? budget.evaluate(own) : ofSteps(record.sweep(), budget, own, differences);
            JudgementEntry judgement = JudgementEntry.of(verdicts);
            now = Optional.of(judgement);
            if (record.judgement() != null) {
                differences.addAll(Differences.between("judgement", record.judgement(), judgement));
            }
            if (record.comparison() != null) {
                differences.addAll(Differences.between(
                        "comparison",
                        record.comparison(),
                        record.comparison().again(record.result().baseline(), own)));
            }
        } catch (RuntimeException e) {
            // Numbers that no run gives, for what a run gives can be judged.
            differences.add("its times cannot be judged: " + OneLine.of(e, MOST_CHARACTERS));
        }
        return new JudgedAgain(outcome(product, differences), product, differences, now);
    }

    private static Verdicts ofSteps(SweepEntry entry, Budget budget, Measurement own, List<String> differences) {
        List<Verdicts> ofSteps = new ArrayList<>();
        List<Sweep.Step> steps = new ArrayList<>();
        for (SweepEntry.StepEntry step : entry.steps()) {
            Verdicts now = budget.evaluate(
                    step.measurement() == null ? own : step.measurement().toMeasurement());
            ofSteps.add(now);
            steps.add(Sweep.Step.of(step.load(), now));
            differences.addAll(Differences.between(
                    "sweep at " + entry.unit().text(step.load()), step.judgement(), JudgementEntry.of(now)));
        }
        return new Sweep(entry.unit(), entry.atLeast(), entry.planned(), steps).verdicts(ofSteps);
    }

    private static Outcome outcome(String product, List<String> differences) {
        if (differences.isEmpty()) {
            return Outcome.SAME;
        }
        return product.equals(Product.VERSION) ? Outcome.ALTERED : Outcome.OTHER_VERSION;
    }
}
