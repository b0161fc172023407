package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * The mean of a time is at most a limit; each request weighs the same, by the mean of its values. That a mean is too high can be
 * shown exactly. That it is not, no test shows for certain, since one time that has not come up yet may be as long as it likes: it
 * is shown asymptotically, from 64 requests on, and the verdict says so. Where it matters how long the slowest take, use a
 * percentile.
 *
 * @param metric a metric in nanoseconds
 * @param limit the limit, included
 * @param promptLength the prompt lengths that it holds for; empty for all. A TTFT or TTFO limit always names one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record MeanLatencyRule(Metric metric, Duration limit, Optional<PromptLength> promptLength) implements Rule {

    /**
     * @throws IllegalArgumentException for a metric that is not a time, a limit that is not above zero or is above 100 days, or a
     *     TTFT or TTFO limit without a prompt length
     */
    public MeanLatencyRule {
        Limits.requireTime(metric);
        Limits.requireTime("limit", limit);
        Limits.requirePromptLength(metric, promptLength);
    }

    /** {@return a limit on the mean TTFT for these prompt lengths} */
    public static MeanLatencyRule ttft(PromptLength promptLength, Duration limit) {
        return new MeanLatencyRule(Metric.TTFT, limit, Optional.of(promptLength));
    }

    /** {@return a limit on the mean TTFO for these prompt lengths} */
    public static MeanLatencyRule ttfo(PromptLength promptLength, Duration limit) {
        return new MeanLatencyRule(Metric.TTFO, limit, Optional.of(promptLength));
    }

    /** {@return a limit on the mean gap between tokens, for all prompt lengths of a run} */
    public static MeanLatencyRule itl(Duration limit) {
        return new MeanLatencyRule(Metric.ITL, limit, Optional.empty());
    }

    /** {@return a limit on the mean gap between chunks, for all prompt lengths of a run} */
    public static MeanLatencyRule icl(Duration limit) {
        return new MeanLatencyRule(Metric.ICL, limit, Optional.empty());
    }

    /** {@return a limit on the mean TPOT, for all prompt lengths of a run} */
    public static MeanLatencyRule tpot(Duration limit) {
        return new MeanLatencyRule(Metric.TPOT, limit, Optional.empty());
    }

    /** {@return a limit on the mean E2E, for all prompt lengths of a run} */
    public static MeanLatencyRule e2e(Duration limit) {
        return new MeanLatencyRule(Metric.E2E, limit, Optional.empty());
    }

    /** {@return the same limit, for these prompt lengths only} */
    public MeanLatencyRule forPrompts(PromptLength promptLength) {
        return new MeanLatencyRule(metric, limit, Optional.of(promptLength));
    }

    @Override
    public Kind kind() {
        return Kind.MEAN;
    }

    @Override
    public String label() {
        return "mean " + metric.label();
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
    public MeanLatencyRule withLimit(double limitInUnit) {
        return new MeanLatencyRule(metric, Limits.time(limitInUnit), promptLength);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT,
                "%s at most %s%s",
                label(),
                Quantity.exact(unit(), limitInUnit()),
                Limits.of(promptLength));
    }
}
