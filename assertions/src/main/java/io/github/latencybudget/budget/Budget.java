package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * The rules that a run has to hold, all of them, and how sure each verdict has to be.
 *
 * @param rules at least one
 * @param confidence of each single verdict
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Budget(List<Rule> rules, Confidence confidence) {

    /** @throws IllegalArgumentException without a rule: a gate never passes on nothing */
    public Budget {
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("a budget without a rule: a gate never passes on nothing");
        }
    }

    /** {@return a budget of these rules at 95% confidence} */
    public static Budget of(Rule... rules) {
        return new Budget(List.of(rules), Confidence.DEFAULT);
    }

    /**
     * Judges a run. Pure: the same measurement gives the same verdicts.
     *
     * @return one verdict per rule
     */
    public Verdicts evaluate(Measurement measurement) {
        List<Finding> findings = findings(measurement, rules);
        Evaluation evaluation = new Evaluation(
                measurement,
                findings,
                rules.stream().anyMatch(FailureRule.class::isInstance),
                confidence,
                new Sample.Cache(measurement));
        return new Verdicts(
                measurement, confidence, rules.stream().map(evaluation::judge).toList(), findings);
    }

    /**
     * {@return looks at a run while it lasts, to find out when its rules are decided}
     *
     * @param promptTokens the prompt lengths of the run
     * @param concurrency how many requests are in flight at a time
     */
    public Looks looks(SortedSet<Integer> promptTokens, int concurrency) {
        return new Looks(rules, confidence, promptTokens, concurrency);
    }

    /** {@return what keeps any rule from being shown to hold on this run: what was found during it, and what its traces show} */
    public static List<Finding> findings(Measurement measurement) {
        return findings(measurement, List.of());
    }

    private static List<Finding> findings(Measurement measurement, List<Rule> rules) {
        return Stream.concat(measurement.findings().stream(), Validity.findings(measurement, rules).stream())
                .toList();
    }
}
