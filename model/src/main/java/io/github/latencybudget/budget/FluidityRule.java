package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * At least a share of the tokens comes in time: the i-th of a request within {@code ttftLimit + (i - 1) * itlLimit}, so that what
 * is gained on one token may be lost on a later one. Each request weighs the same.
 *
 * @param length the prompt lengths that it holds for
 * @param ttftLimit when the first token has to be there
 * @param itlLimit how much later each further one may be
 * @param minShare the least share, included
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record FluidityRule(PromptLength length, Duration ttftLimit, Duration itlLimit, double minShare)
        implements Rule {

    /** @throws IllegalArgumentException for a limit that is not above zero or is above 100 days, or a share outside (0, 1) */
    public FluidityRule {
        Limits.requireTime("ttftLimit", ttftLimit);
        Limits.requireTime("itlLimit", itlLimit);
        Limits.requireShare("minShare", minShare);
    }

    @Override
    public Kind kind() {
        return Kind.FLUIDITY;
    }

    @Override
    public String label() {
        return "fluidity";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.SHARE;
    }

    @Override
    public boolean isAtMost() {
        return false;
    }

    @Override
    public double limitInUnit() {
        return minShare;
    }

    @Override
    public Optional<PromptLength> promptLength() {
        return Optional.of(length);
    }

    @Override
    public FluidityRule withLimit(double limitInUnit) {
        return new FluidityRule(length, ttftLimit, itlLimit, limitInUnit);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT,
                "fluidity at least %s%s (TTFT %s, ITL %s)",
                Quantity.exact(unit(), minShare),
                Limits.of(promptLength()),
                Quantity.exact(Metric.Unit.NANOSECONDS, ttftLimit.toNanos()),
                Quantity.exact(Metric.Unit.NANOSECONDS, itlLimit.toNanos()));
    }
}
