package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * A percentile of a time is at most a limit; a value equal to the limit holds.
 *
 * @param metric a metric in nanoseconds
 * @param percentile which percentile
 * @param limit the limit, included
 * @param promptLength the prompt lengths that it holds for; empty for all. A TTFT or TTFO limit always names one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record LatencyRule(Metric metric, Percentile percentile, Duration limit, Optional<PromptLength> promptLength)
        implements Rule {

    /**
     * @throws IllegalArgumentException for a metric that is not a time, a percentile of 100 or below 1, a limit that is not above zero or
     *     is above 100 days, or a TTFT or TTFO limit without a prompt length
     */
    public LatencyRule {
        Limits.requireShowable("percentile", percentile);
        Limits.requireTime(metric);
        Limits.requireTime("limit", limit);
        Limits.requirePromptLength(metric, promptLength);
    }

    /** {@return a limit on TTFT for these prompt lengths} */
    public static LatencyRule ttft(PromptLength promptLength, Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.TTFT, percentile, limit, Optional.of(promptLength));
    }

    /** {@return a limit on TTFO for these prompt lengths} */
    public static LatencyRule ttfo(PromptLength promptLength, Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.TTFO, percentile, limit, Optional.of(promptLength));
    }

    /** {@return a limit on ITL for all prompt lengths of a run} */
    public static LatencyRule itl(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.ITL, percentile, limit, Optional.empty());
    }

    /** {@return a limit on ICL for all prompt lengths of a run} */
    public static LatencyRule icl(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.ICL, percentile, limit, Optional.empty());
    }

    /** {@return a limit on TPOT for all prompt lengths of a run} */
    public static LatencyRule tpot(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.TPOT, percentile, limit, Optional.empty());
    }

    /** {@return a limit on E2E for all prompt lengths of a run} */
    public static LatencyRule e2e(Percentile percentile, Duration limit) {
        return new LatencyRule(Metric.E2E, percentile, limit, Optional.empty());
    }

    /** {@return the same limit, for these prompt lengths only} */
    public LatencyRule forPrompts(PromptLength promptLength) {
        return new LatencyRule(metric, percentile, limit, Optional.of(promptLength));
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
        return true;
    }

    @Override
    public double limitInUnit() {
        return limit.toNanos();
    }

    @Override
    public LatencyRule withLimit(double limitInUnit) {
        return new LatencyRule(metric, percentile, Limits.time(limitInUnit), promptLength);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT,
                "%s %s at most %s%s",
                label(),
                percentile,
                Quantity.exact(unit(), limitInUnit()),
                Limits.of(promptLength));
    }
}
