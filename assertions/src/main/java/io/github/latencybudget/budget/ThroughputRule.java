package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import org.apiguardian.api.API;

/**
 * A share of the requests reach at least a rate, under stated conditions; a rate equal to the limit holds.
 *
 * @param metric a metric in tokens per second
 * @param share the share of the requests that have to reach the rate: P95 for 95% of them
 * @param minTokensPerSecond the rate, included
 * @param conditions what the rate holds for
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ThroughputRule(
        Metric metric, Percentile share, double minTokensPerSecond, ThroughputConditions conditions) implements Rule {

    /** @throws IllegalArgumentException for a metric that is not a rate, a share of 100%, or a rate that is not above zero and finite */
    public ThroughputRule {
        if (share.shareAbove() == 0) {
            throw new IllegalArgumentException(
                    "share = 100: no number of requests shows that none is ever beyond a limit; use 99 or 99.9");
        }
        if (metric.unit() != Metric.Unit.TOKENS_PER_SECOND) {
            throw new IllegalArgumentException(metric.label() + " is not a rate: use a LatencyRule");
        }
        if (!(minTokensPerSecond > 0 && minTokensPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "minTokensPerSecond = %s: must be above 0 and finite".formatted(minTokensPerSecond));
        }
    }

    @Override
    public Percentile percentile() {
        return share;
    }

    @Override
    public double limitInUnit() {
        return minTokensPerSecond;
    }

    @Override
    public boolean appliesTo(int promptTokens) {
        return conditions.promptTokens().contains(promptTokens);
    }

    @Override
    public String scope() {
        return conditions.toString();
    }

    @Override
    public String text() {
        return "%s of %s%% of requests at least %s (%s)"
                .formatted(
                        metric.label(),
                        share.toString().substring(1),
                        Quantity.exact(metric, minTokensPerSecond),
                        conditions);
    }
}
