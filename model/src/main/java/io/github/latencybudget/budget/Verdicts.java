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

    private static final List<Status> WORST_FIRST =
            List.of(Status.BREACH, Status.INCONCLUSIVE, Status.UNUSED_WAIVER, Status.WAIVED, Status.PASS);

    /** @throws IllegalArgumentException without a verdict: nothing was judged, so nothing can pass */
    public Verdicts {
        verdicts = List.copyOf(verdicts);
        findings = List.copyOf(findings);
        if (verdicts.isEmpty()) {
            throw new IllegalArgumentException("no verdict: a gate never passes on nothing");
        }
    }

    /** {@return the worst that was shown of a rule: BREACH, INCONCLUSIVE, UNUSED_WAIVER, WAIVED, and PASS only where all are} */
    public Status status() {
        return WORST_FIRST.stream()
                .filter(s -> verdicts.stream().anyMatch(v -> v.status() == s))
                .findFirst()
                .orElseThrow();
    }

    /** {@return whether every rule was shown to hold, or is broken and waived: the gate does not fail} */
    public boolean passed() {
        return status() == Status.PASS || status() == Status.WAIVED;
    }

    /**
     * {@return the verdict of one of the rules, as it was found beside the others}
     *
     * @throws IllegalArgumentException for a rule that was not judged
     */
    public Verdicts of(Rule rule) {
        return new Verdicts(
                measurement,
                confidence,
                verdicts.stream().filter(v -> v.rule().equals(rule)).limit(1).toList(),
                findings);
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
