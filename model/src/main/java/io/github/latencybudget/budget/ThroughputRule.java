package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.util.Locale;
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

    /** @throws IllegalArgumentException for a metric that is not a rate, a share of 100% or below 1%, or a rate that is not above zero and finite */
    public ThroughputRule {
        Limits.requireShowable("share", share);
        if (metric.unit() != Metric.Unit.TOKENS_PER_SECOND) {
            throw new IllegalArgumentException(metric.label() + " is not a rate: use a LatencyRule");
        }
        Limits.requireRate(minTokensPerSecond);
    }

    /** {@return a decode TGS that a share of the requests has to reach} */
    public static ThroughputRule decodeTgs(
            Percentile share, double minTokensPerSecond, ThroughputConditions conditions) {
        return new ThroughputRule(Metric.DECODE_TGS, share, minTokensPerSecond, conditions);
    }

    /** {@return a request TGS that a share of the requests has to reach} */
    public static ThroughputRule requestTgs(
            Percentile share, double minTokensPerSecond, ThroughputConditions conditions) {
        return new ThroughputRule(Metric.REQUEST_TGS, share, minTokensPerSecond, conditions);
    }

    @Override
    public Kind kind() {
        return Kind.PERCENTILE;
    }

    @Override
    public String label() {
        return metric.label();
    }

    @Override
    public Metric.Unit unit() {
        return metric.unit();
    }

    @Override
    public boolean isAtMost() {
        return false;
    }

    @Override
    public double limitInUnit() {
        return minTokensPerSecond;
    }

    @Override
    public ThroughputRule withLimit(double limitInUnit) {
        return new ThroughputRule(metric, share, limitInUnit, conditions);
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
        return String.format(
                Locale.ROOT,
                "%s of %s%% of requests at least %s (%s)",
                label(),
                share.toString().substring(1),
                Quantity.exact(unit(), minTokensPerSecond),
                conditions);
    }
}
