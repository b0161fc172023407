package io.github.latencybudget.junit;

import io.github.latencybudget.baseline.Comparison;
import io.github.latencybudget.budget.Verdict;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A gate that has measured and has yet to be judged.
 *
 * @param where the gate in the log
 * @param comparison the check of the run against its baseline; empty where it is compared with none
 * @param measurement the run; of a sweep, the step that decides
 * @param sweep its steps; empty for a single run
 */
record MeasuredGate(
        String where,
        ScenarioAndBudget asked,
        Optional<BaselineCheck> comparison,
        Measurement measurement,
        GateInProgress gate,
        Optional<SweepRun> sweep) {

    /**
     * Judges the run, once, by the whole budget; writes verdicts and comparison into the record, and prints them.
     *
     * @param failures takes a record that cannot be written: a pass that leaves no evidence cannot be signed off
     * @return the verdicts, which do not fail the gate by themselves
     */
    JudgedGate judge(TestEnding ending, Failures failures) {
        Verdicts verdicts = sweep.map(SweepRun::verdicts).orElseGet(() -> Judge.judge(asked.budget(), measurement));
        Optional<BaselineCheck.Outcome> compared = comparison.map(check -> check.check(measurement));
        compared.ifPresent(outcome -> {
            gate.attempt().compared(outcome.entry(), comparison.flatMap(BaselineCheck::baseline));
            outcome.problem().ifPresent(failures::broken);
        });
        GateRun.keep(() -> gate.attempt().judged(asked.budget(), verdicts, ending))
                .ifPresent(failures::broken);
        gate.end();
        print(verdicts, compared);
        return new JudgedGate(
                verdicts,
                gate.attempt().path(),
                sweep.map(run -> run.sweep().text()),
                compared.flatMap(BaselineCheck.Outcome::comparison)
                        .filter(c -> comparison.orElseThrow().gating() && !c.passed())
                        .map(Comparison::describe));
    }

    private void print(Verdicts verdicts, Optional<BaselineCheck.Outcome> compared) {
        Stream.of(
                        GuardNotice.of(where, verdicts).stream(),
                        sweep.map(SweepRun::sweep).stream()
                                .flatMap(s -> SweepLines.of(s).stream())
                                .map(this::named),
                        verdicts.verdicts().stream().map(MeasuredGate::line).map(this::named),
                        compared.stream().map(outcome -> outcome.entry().line()).map(this::named))
                .flatMap(lines -> lines)
                .forEach(Console::say);
    }

    private String named(String line) {
        return where + ": " + line;
    }

    /** A reader of the log has to know why a waived rule does not fail the gate. */
    private static String line(Verdict verdict) {
        return verdict.waiver().isPresent()
                ? verdict.line() + "; " + verdict.reason().orElse("")
                : verdict.line();
    }
}
