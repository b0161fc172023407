package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An attribute that sets a limit.
 *
 * @param isOfGaps whether it takes two output tokens
 */
record Limit(AttributeCheck check, String attribute, double value, boolean isOfGaps) {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_MILLIS = Duration.ofDays(1).toMillis();
    private static final double BYTES_PER_GIB = 1L << 30;

    boolean isSet() {
        return value != LatencyBudget.NO_LIMIT;
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where it is not above 0 and finite */
    Limit requirePositive() {
        check.require(value > 0 && value < Double.POSITIVE_INFINITY, attribute, value, "must be above 0 and finite");
        return this;
    }

    Limit requireTokens(int outputTokens) {
        requirePositive();
        check.require(
                outputTokens >= 2 || !isOfGaps,
                attribute,
                value,
                "with `outputTokens = " + outputTokens + "` there is no gap between tokens; use 2 or more");
        return this;
    }

    SetLimit set(Rule rule) {
        return new SetLimit(attribute, rule);
    }

    Duration millis() {
        requirePositive();
        check.require(
                value <= MOST_MILLIS && value * NANOS_PER_MILLI >= 1,
                attribute,
                value,
                "a limit is between one nanosecond and one day, in milliseconds");
        return Duration.ofNanos(Math.round(value * NANOS_PER_MILLI));
    }

    double share() {
        check.require(
                value > 0 && value < 1,
                attribute,
                value,
                "must be above 0 and below 1, for no number of requests shows what holds without exception");
        return value;
    }

    long gibibytes() {
        requirePositive();
        return Math.max(1, (long) (value * BYTES_PER_GIB));
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where none of them is set */
    static void requireOne(AttributeCheck check, Stream<String> attributes, boolean isOneSet) {
        check.require(
                isOneSet,
                "no limit is set; set at least one of "
                        + attributes
                                .map(a -> "`" + a + "`")
                                .reduce((a, b) -> a + ", " + b)
                                .orElseThrow());
    }

    static Percentile percentile(AttributeCheck check, String attribute, double percent) {
        // 0.95 is meant as a share, and a P0.95 holds nearly any limit.
        Optional<Percentile> percentile = percentile(percent).filter(p -> percent >= 1 && p.shareAbove() > 0);
        check.require(
                percentile.isPresent(),
                attribute,
                percent,
                "must be at least 1 and below 100, in percent such as 95, with at most three decimals");
        return percentile.get();
    }

    private static Optional<Percentile> percentile(double percent) {
        try {
            return Optional.of(Percentile.of(percent));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
