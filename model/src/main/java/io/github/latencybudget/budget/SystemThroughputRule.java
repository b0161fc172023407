package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * The system TGS is at least a rate, under stated conditions: all output tokens over the time that they take together. Judged by
 * the mean time per token over successive blocks of requests, as ADR 12 says; that it is reached is shown asymptotically, from 64
 * blocks on.
 *
 * @param minTokensPerSecond the rate, included
 * @param conditions what the rate holds for
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record SystemThroughputRule(double minTokensPerSecond, ThroughputConditions conditions) implements Rule {

    /** @throws IllegalArgumentException for a rate that is not above zero and finite */
    public SystemThroughputRule {
        Limits.requireRate(minTokensPerSecond);
    }

    @Override
    public Kind kind() {
        return Kind.SYSTEM_TGS;
    }

    @Override
    public String label() {
        return "system TGS";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.TOKENS_PER_SECOND;
    }

    @Override
    public boolean isAtMost() {
        return false;
    }

    @Override
    public double limitInUnit() {
        return minTokensPerSecond;
    }

    /** {@return whether the conditions name this length; a run with others has other conditions} */
    @Override
    public boolean appliesTo(int promptTokens) {
        return conditions.promptTokens().contains(promptTokens);
    }

    @Override
    public String scope() {
        return conditions.toString();
    }

    @Override
    public SystemThroughputRule withLimit(double limitInUnit) {
        return new SystemThroughputRule(limitInUnit, conditions);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT, "system TGS at least %s (%s)", Quantity.exact(unit(), minTokensPerSecond), conditions);
    }
}
