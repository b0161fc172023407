package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * The rules that a run has to hold, all of them, and how sure each verdict has to be.
 *
 * @param rules at least one
 * @param confidence of each single verdict
 * @param waivers which rules may be broken for now
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Budget(List<Rule> rules, Confidence confidence, Waivers waivers) {

    /** @throws IllegalArgumentException without a rule, since a gate never passes on nothing, or for a waiver of another rule or that covers no breach */
    public Budget {
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("a budget without a rule: a gate never passes on nothing");
        }
        for (Rule waived : waivers.byRule().keySet()) {
            if (!rules.contains(waived)) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "a waiver of \"%s\", which is no rule of this budget: name one of its rules",
                        waived.text()));
            }
        }
        waivers.requireRoom();
    }

    /** Without a waiver. */
    public Budget(List<Rule> rules, Confidence confidence) {
        this(rules, confidence, Waivers.NONE);
    }

    /** {@return a budget of these rules at 95% confidence} */
    public static Budget of(Rule... rules) {
        return new Budget(List.of(rules), Confidence.DEFAULT);
    }

    /**
     * Judges a run. Pure: the same measurement gives the same verdicts, for the day of the waivers.
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
                new Sample.Cache(measurement, allRules()));
        return new Verdicts(
                measurement,
                confidence,
                // A million gaps take a while, and each rule has bounds of its own to find.
                rules.parallelStream()
                        .map(rule -> waivers.applyTo(evaluation.judge(rule), evaluation::judge))
                        .toList(),
                findings);
    }

    /**
     * {@return looks at a run while it lasts, to find out when its rules are decided}
     *
     * @param promptTokens the prompt lengths of the run, which take turns
     * @param concurrency how many requests are in flight at a time
     */
    public Looks looks(SortedSet<Integer> promptTokens, int concurrency) {
        return new Looks(allRules(), rule -> RuleLooks.of(rule, confidence, promptTokens, concurrency));
    }

    /**
     * {@return looks at a run whose requests draw their prompts}
     *
     * @param sharingAMoment how many requests may share a moment: those in flight, with the turns of their conversations
     */
    public Looks looksAtDrawn(int sharingAMoment) {
        return new Looks(allRules(), rule -> RuleLooks.ofDrawn(rule, confidence, sharingAMoment));
    }

    /**
     * {@return how large an error of its client any of the rules could be judged with, in nanoseconds, each by itself; empty without
     * a limit on a single time}
     *
     * @param guards which guards the run is judged with
     */
    public OptionalDouble mostClientErrorNanos(GuardSettings guards) {
        return ClientGuard.mostAllowedNanos(allRules(), guards.threshold(Guard.MAX_CLIENT_ERROR_SHARE));
    }

    private List<Rule> allRules() {
        return Stream.concat(rules.stream(), waivers.covered().stream()).toList();
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
