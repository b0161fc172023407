package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * At most a share of the requests does not complete. In a budget with such a rule it is the judge of failed requests: what did
 * complete can then hold the other limits in spite of them. Without one, any failed request keeps every other rule from passing.
 *
 * @param maxShare the largest share, included
 * @param promptLength the prompt lengths that it holds for; empty for all
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record FailureRule(double maxShare, Optional<PromptLength> promptLength) implements Rule {

    /** @throws IllegalArgumentException for a share outside (0, 1) */
    public FailureRule {
        Limits.requireShare("maxShare", maxShare);
    }

    /** {@return a limit for all prompt lengths of a run} */
    public static FailureRule atMost(double maxShare) {
        return new FailureRule(maxShare, Optional.empty());
    }

    @Override
    public Kind kind() {
        return Kind.FAILURE_SHARE;
    }

    @Override
    public String label() {
        return "failure share";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.SHARE;
    }

    @Override
    public boolean isAtMost() {
        return true;
    }

    @Override
    public double limitInUnit() {
        return maxShare;
    }

    @Override
    public FailureRule withLimit(double limitInUnit) {
        return new FailureRule(limitInUnit, promptLength);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT, "failure share at most %s%s", Quantity.exact(unit(), maxShare), Limits.of(promptLength));
    }
}
