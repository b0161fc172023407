package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * A percentile of a time is at most a limit; a value equal to the limit holds.
 *
 * @param metric a metric in nanoseconds
 * @param percentile which percentile
 * @param limit the limit, included
 * @param promptLength the prompt lengths that it holds for; empty for all. A TTFT limit always names one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record LatencyRule(Metric metric, Percentile percentile, Duration limit, Optional<PromptLength> promptLength)
        implements Rule {

    /** Up to here, and a little further, a double tells every two nanoseconds apart. */
    private static final Duration MAX_LIMIT = Duration.ofDays(100);

    /**
     * @throws IllegalArgumentException for a metric that is not a time, a percentile of 100, a limit that is not above zero or
     *     is above 100 days, or a TTFT limit without a prompt length
     */
    public LatencyRule {
        if (percentile.shareAbove() == 0) {
            throw new IllegalArgumentException(
                    "percentile = 100: no number of requests shows that none is ever beyond a limit; use 99 or 99.9");
        }
        if (metric.unit() != Metric.Unit.NANOSECONDS) {
            throw new IllegalArgumentException(
                    metric.label() + " is not a time: use a ThroughputRule, which names its conditions");
        }
        if (limit.isZero() || limit.isNegative() || limit.compareTo(MAX_LIMIT) > 0) {
            throw new IllegalArgumentException("limit = %s: must be above zero and at most 100 days".formatted(limit));
        }
        if (metric == Metric.TTFT && promptLength.isEmpty()) {
            throw new IllegalArgumentException("a TTFT limit has to name the prompt length that it holds for");
        }
    }

    /** {@return a limit on TTFT for these prompt lengths} */
    public static LatencyRule ttft(PromptLength promptLength, Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.TTFT, percentile, limit, Optional.of(promptLength));
    }

    /** {@return a limit on ITL for all prompt lengths of a run} */
    public static LatencyRule itl(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.ITL, percentile, limit, Optional.empty());
    }

    /** {@return a limit on TPOT for all prompt lengths of a run} */
    public static LatencyRule tpot(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.TPOT, percentile, limit, Optional.empty());
    }

    /** {@return a limit on E2E for all prompt lengths of a run} */
    public static LatencyRule e2e(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.E2E, percentile, limit, Optional.empty());
    }

    @Override
    public double limitInUnit() {
        return limit.toNanos();
    }

    @Override
    public boolean appliesTo(int promptTokens) {
        return promptLength.isEmpty() || promptLength.get().includes(promptTokens);
    }

    @Override
    public String scope() {
        return promptLength.map(l -> "prompts of " + l + " tokens").orElse("all prompts");
    }

    @Override
    public String text() {
        return "%s %s at most %s%s"
                .formatted(
                        metric.label(),
                        percentile,
                        Quantity.exact(metric, limitInUnit()),
                        promptLength
                                .map(l -> " for prompts of " + l + " tokens")
                                .orElse(""));
    }
}
