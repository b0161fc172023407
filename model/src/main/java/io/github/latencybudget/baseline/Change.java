package io.github.latencybudget.baseline;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/**
 * How one metric changed at one prompt length. Values are in the unit of the metric, ratios those of the run to the baseline.
 *
 * @param metric which metric
 * @param statistic what of it
 * @param promptTokens the prompt length
 * @param baseline what the baseline gave
 * @param run what the run gave
 * @param ratio the factor between the two; above 1 a time is longer and a rate higher. Absent where there is none
 * @param lower what the ratio is at least, at the confidence; absent where the samples are too small to say
 * @param upper what the ratio is at most, at the confidence; absent where the samples are too small to say
 * @param status what was shown
 * @param reason why nothing was, in words with the next step; empty otherwise
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Change(
        Metric metric,
        Statistic statistic,
        int promptTokens,
        Side baseline,
        Side run,
        OptionalDouble ratio,
        OptionalDouble lower,
        OptionalDouble upper,
        ChangeStatus status,
        Optional<String> reason) {

    /** What of a metric is compared. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Statistic {
        /** One value per request, the median of its gaps for ITL: by what factor requests differ, as Hodges and Lehmann have it. */
        TYPICAL,
        /** The 95th percentile of all values: the ratio of the two, within the bounds of each. */
        P95
    }

    /**
     * One of the two runs.
     *
     * @param value its median over the requests, or its P95
     * @param requests how many requests gave a value
     * @param independent how many independent requests these say as much as, rounded down
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Side(double value, int requests, int independent) {}

    /** {@return such as {@code TTFT for prompts of 512 tokens} or {@code ITL P95 for prompts of 512 tokens}} */
    public String name() {
        return String.format(
                Locale.ROOT,
                "%s%s for prompts of %s tokens",
                metric.label(),
                statistic == Statistic.P95 ? " P95" : "",
                promptTokens);
    }

    /** {@return the status, the metric and how it changed on one line} */
    public String line() {
        return ChangeText.line(this);
    }

    /** {@return the bounds and the two values in one sentence} */
    public String evidence() {
        return ChangeText.evidence(this);
    }

    /** {@return whether less is better} */
    boolean isTime() {
        return metric.unit() == Metric.Unit.NANOSECONDS;
    }
}
