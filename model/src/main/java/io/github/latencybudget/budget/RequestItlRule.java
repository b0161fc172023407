package io.github.latencybudget.budget;

import io.github.latencybudget.metric.GapPercentile;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * A percentile over the requests of a percentile of each one's gaps is at most a limit: "P95 of request P95s".
 *
 * @param percentile which percentile of the requests
 * @param ofGaps which percentile of a request's gaps, 100 for its longest
 * @param limit the limit, included
 * @param promptLength the prompt lengths that it holds for; empty for all
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record RequestItlRule(
        Percentile percentile, Percentile ofGaps, Duration limit, Optional<PromptLength> promptLength) implements Rule {

    /** @throws IllegalArgumentException for a percentile of the requests of 100 or below 1, or a limit that is not above zero or above 100 days */
    public RequestItlRule {
        Limits.requireShowable("percentile", percentile);
        Limits.requireTime("limit", limit);
    }

    /** {@return a limit for all prompt lengths of a run} */
    public static RequestItlRule of(Percentile percentile, Percentile ofGaps, Duration limit) {
        return new RequestItlRule(percentile, ofGaps, limit, Optional.empty());
    }

    /** {@return the same limit, for these prompt lengths only} */
    public RequestItlRule forPrompts(PromptLength promptLength) {
        return new RequestItlRule(percentile, ofGaps, limit, Optional.of(promptLength));
    }

    GapPercentile values() {
        return new GapPercentile(ofGaps);
    }

    @Override
    public Kind kind() {
        return Kind.REQUEST_PERCENTILE;
    }

    @Override
    public String label() {
        return values().label();
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.NANOSECONDS;
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
    public RequestItlRule withLimit(double limitInUnit) {
        return new RequestItlRule(percentile, ofGaps, Limits.time(limitInUnit), promptLength);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT,
                "%s of request ITL %ss at most %s%s",
                percentile,
                ofGaps,
                Quantity.exact(unit(), limitInUnit()),
                Limits.of(promptLength));
    }
}
