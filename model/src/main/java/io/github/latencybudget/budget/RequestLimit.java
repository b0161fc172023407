package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * What a single request has to meet to be a good one: every value that it gives of a metric is at most the limit. So a limit on ITL
 * is one on each of its gaps, and one on TPOT is one on their mean.
 *
 * @param metric a metric in nanoseconds
 * @param limit the limit, included
 * @param promptLength the prompt lengths that it holds for; empty for all. A TTFT or TTFO limit always names one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record RequestLimit(Metric metric, Duration limit, Optional<PromptLength> promptLength) {

    /**
     * @throws IllegalArgumentException for a metric that is not a time, a limit that is not above zero or is above 100 days, or a
     *     TTFT or TTFO limit without a prompt length
     */
    public RequestLimit {
        Limits.requireTime(metric);
        Limits.requireTime("limit", limit);
        Limits.requirePromptLength(metric, promptLength);
    }

    /** {@return a limit on the TTFT of a request with a prompt of such a length} */
    public static RequestLimit ttft(PromptLength promptLength, Duration limit) {
        return new RequestLimit(Metric.TTFT, limit, Optional.of(promptLength));
    }

    /** {@return a limit on every gap of a request} */
    public static RequestLimit itl(Duration limit) {
        return new RequestLimit(Metric.ITL, limit, Optional.empty());
    }

    /** {@return a limit on the TPOT of a request} */
    public static RequestLimit tpot(Duration limit) {
        return new RequestLimit(Metric.TPOT, limit, Optional.empty());
    }

    /** {@return a limit on the E2E of a request} */
    public static RequestLimit e2e(Duration limit) {
        return new RequestLimit(Metric.E2E, limit, Optional.empty());
    }

    boolean appliesTo(int promptTokens) {
        return promptLength.isEmpty() || promptLength.get().includes(promptTokens);
    }

    /** {@return such as {@code TTFT at most 450.0 ms for prompts of 512 tokens}} */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s at most %s%s",
                metric.label(),
                Quantity.exact(metric.unit(), limit.toNanos()),
                Limits.of(promptLength));
    }
}
