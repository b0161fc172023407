package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import org.apiguardian.api.API;

/**
 * What was shown of every rule of a budget.
 *
 * @param measurement what was judged
 * @param confidence how sure each verdict is
 * @param verdicts one per rule, in the order of the rules; never empty
 * @param findings what kept rules from being shown to hold, of the run and of its traces
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Verdicts(Measurement measurement, Confidence confidence, List<Verdict> verdicts, List<Finding> findings) {

    /** @throws IllegalArgumentException without a verdict: nothing was judged, so nothing can pass */
    public Verdicts {
        verdicts = List.copyOf(verdicts);
        findings = List.copyOf(findings);
        if (verdicts.isEmpty()) {
            throw new IllegalArgumentException("no verdict: a gate never passes on nothing");
        }
    }

    /** {@return BREACH where a rule is broken, else INCONCLUSIVE where one was not shown to hold, else PASS} */
    public Status status() {
        if (verdicts.stream().anyMatch(v -> v.status() == Status.BREACH)) {
            return Status.BREACH;
        }
        return verdicts.stream().allMatch(v -> v.status() == Status.PASS) ? Status.PASS : Status.INCONCLUSIVE;
    }

    /** {@return whether every rule was shown to hold} */
    public boolean passed() {
        return status() == Status.PASS;
    }

    /** {@return what became of each guard on the run} */
    public List<GuardReport> guards() {
        return Guards.reports(measurement, verdicts.stream().map(Verdict::rule).toList());
    }

    /** {@return the guards that are off or have another threshold than their own, such as {@code max-drift = off}; often empty} */
    public List<String> guardsSetByHand() {
        return guards().stream()
                .filter(g -> !g.isDefault())
                .map(GuardReport::setting)
                .toList();
    }

    /** {@return the conditions, then each verdict with its evidence, as a failure is printed} */
    public String describe() {
        return VerdictText.describe(this);
    }
}
