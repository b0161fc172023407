package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Drift;
import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * The medians of the first and of the last third of a run's requests differ by at most a share of the first, whichever of them is
 * the larger. The requests are those with prompts of one length, in the order of their start; it takes {@link
 * Drift#LEAST_REQUESTS}.
 *
 * <p>It is judged once, at the end, on all requests that were planned: a run never stops early where it has such a rule, and a run
 * that was cut short does not show it. It holds where the whole confidence interval of the change lies within the share, and is
 * broken where all of it lies beyond. In a budget with such a rule the guard against drifts still watches the times of the other
 * rules, and keeps those from passing; this one it leaves alone.
 *
 * @param metric a time that a request has one of: TTFT, TTFO, TPOT (the mean of its gaps) or E2E
 * @param maxShare the largest change, included, as a share of the median of the first third
 * @param promptTokens the prompt length in tokens of the model's own tokenizer, BOS included
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record DriftRule(Metric metric, double maxShare, int promptTokens) implements Rule {

    /**
     * @throws IllegalArgumentException for a metric that is not a time or of which a request has several values, a share outside
     *     (0, 1), or a length below 1
     */
    public DriftRule {
        Limits.requireTime(metric);
        if (metric.isClusteredByRequest()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "%s has several values per request: use TPOT, the mean gap of each", metric.label()));
        }
        Limits.requireShare("maxShare", maxShare);
        PromptLength.exactly(promptTokens);
    }

    @Override
    public Kind kind() {
        return Kind.DRIFT;
    }

    @Override
    public String label() {
        return metric.label() + " drift";
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
    public Optional<PromptLength> promptLength() {
        return Optional.of(PromptLength.exactly(promptTokens));
    }

    @Override
    public DriftRule withLimit(double limitInUnit) {
        return new DriftRule(metric, limitInUnit, promptTokens);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT, "%s at most %s%s", label(), Quantity.exact(unit(), maxShare), Limits.of(promptLength()));
    }
}
