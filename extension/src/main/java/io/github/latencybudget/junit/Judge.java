package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Measurement;

/**
 * The one place in which a gate's run is judged. Console, record, report, the thrown error, the tests of a policy and a sweep read
 * the verdicts that come from here, so none of them can say something else.
 */
final class Judge {

    private Judge() {}

    static Verdicts judge(Budget budget, Measurement measurement) {
        return budget.evaluate(measurement);
    }
}
