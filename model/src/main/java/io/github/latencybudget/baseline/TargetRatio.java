package io.github.latencybudget.baseline;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/**
 * By what factor two targets differ in one metric at one prompt length. Values are in the unit of the metric, the factor is that of
 * the second target to the first.
 *
 * @param metric which metric
 * @param statistic what of it
 * @param promptTokens the prompt length
 * @param first what the first target gave
 * @param second what the second target gave
 * @param ratio the factor between the two; above 1 the second target's time is longer. Absent where there is none
 * @param lower what the factor is at least, at the confidence; absent where the samples are too small to say, or nothing can be
 *     said with that confidence
 * @param upper what the factor is at most, at the confidence; absent as the other
 * @param reason why the factor or its bounds are absent, in words; empty otherwise
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record TargetRatio(
        Metric metric,
        Change.Statistic statistic,
        int promptTokens,
        Change.Side first,
        Change.Side second,
        OptionalDouble ratio,
        OptionalDouble lower,
        OptionalDouble upper,
        Optional<String> reason) {

    /** {@return such as {@code TTFT for prompts of 512 tokens} or {@code ITL P95 for prompts of 512 tokens}} */
    public String name() {
        return String.format(
                Locale.ROOT,
                "%s%s for prompts of %s tokens",
                metric.label(),
                statistic == Change.Statistic.P95 ? " P95" : "",
                promptTokens);
    }

    /** @param why there are no bounds; empty where there are */
    static TargetRatio of(Change change, Optional<String> why) {
        Optional<String> reason = change.ratio().isEmpty()
                ? Optional.of(
                        "a value of 0 has no ratio: tokens came in one read with others; compare TPOT, which they do not change")
                : why.or(() -> change.lower().isEmpty() || change.upper().isEmpty()
                        ? Optional.of("too few requests for bounds on both sides; measure more")
                        : Optional.empty());
        return new TargetRatio(
                change.metric(),
                change.statistic(),
                change.promptTokens(),
                change.baseline(),
                change.run(),
                change.ratio(),
                why.isPresent() ? OptionalDouble.empty() : change.lower(),
                why.isPresent() ? OptionalDouble.empty() : change.upper(),
                reason);
    }
}
