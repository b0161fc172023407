package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Visible;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/**
 * A gate's verdicts, as its test, or the tests of its rules, have them.
 *
 * @param record the file that holds the evidence
 * @param sweep what came of a sweep, in words; empty for a single run
 * @param slower how the run is worse than the baseline that it has to match; empty where it is not
 */
record JudgedGate(Verdicts verdicts, Path record, Optional<String> sweep, Optional<String> slower) {

    /**
     * Adds what keeps the gate from passing.
     *
     * @param hint what else to say, such as the side of two targets
     */
    void failInto(Failures failures, Optional<String> hint) {
        failures.assertion(() -> require(verdicts, hint));
        failures.assertion(() -> slower.ifPresent(said -> {
            throw new AssertionFailedError(Visible.text(said + evidence()));
        }));
    }

    /**
     * @param rule one of those that were judged
     * @param hint what to do where it does not hold
     * @throws AssertionFailedError where that rule is broken, or not shown to hold
     */
    void require(Rule rule, Optional<String> hint) {
        require(verdicts.of(rule), hint);
    }

    private void require(Verdicts some, Optional<String> hint) {
        if (!some.passed()) {
            String said = Stream.concat(sweep.stream(), hint.stream()).collect(Collectors.joining("; "));
            throw new AssertionFailedError(
                    Visible.text((said.isEmpty() ? "" : "[" + said + "] ") + some.describe() + evidence()));
        }
    }

    private String evidence() {
        return "\n        evidence: " + record;
    }
}
