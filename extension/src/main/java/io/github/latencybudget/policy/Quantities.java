package io.github.latencybudget.policy;

import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Reads what limits are made of. */
final class Quantities {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_MILLIS = Duration.ofDays(1).toMillis();
    private static final double BYTES_PER_GIB = 1L << 30;
    private static final String LENGTHS =
            "it is a number of tokens, BOS included, or a range such as {atLeast: 129, atMost: 512}";

    private Quantities() {}

    /** {@return a time that is given in milliseconds} */
    static Duration time(Value value) {
        String allowed = "a limit is between one nanosecond and one day, in milliseconds";
        double millis = value.number(allowed);
        value.require(millis <= MOST_MILLIS && millis * NANOS_PER_MILLI >= 1, allowed);
        return Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI));
    }

    static double share(Value value) {
        String allowed = "must be above 0 and below 1, for no number of requests shows what holds without exception";
        double share = value.number(allowed);
        value.require(share > 0 && share < 1, allowed);
        return share;
    }

    /** {@return an amount of memory that is given in GiB} */
    static long bytes(Value value) {
        return Math.max(1, (long) (positive(value, "it is above 0 and finite, in GiB") * BYTES_PER_GIB));
    }

    static double positive(Value value, String allowed) {
        double number = value.number(allowed);
        value.require(number > 0 && number < Double.POSITIVE_INFINITY, allowed);
        return number;
    }

    /** {@return the percentile, 95 where none is given} */
    static Percentile percentile(Optional<Value> value) {
        return value.map(Quantities::percentile).orElse(Percentile.P95);
    }

    private static Percentile percentile(Value value) {
        String allowed = "must be at least 1 and below 100, in percent such as 95, with at most three decimals";
        double percent = value.number(allowed);
        // 0.95 is meant as a share, and a P0.95 holds nearly any limit.
        value.require(percent >= 1, allowed);
        try {
            Percentile percentile = Percentile.of(percent);
            value.require(percentile.shareAbove() > 0, allowed);
            return percentile;
        } catch (IllegalArgumentException e) {
            throw value.wrong(allowed);
        }
    }

    /** @throws PolicyException also where the scenario has no such prompt length: the rule would be about nothing */
    static PromptLength lengths(Value value, PolicyScenario scenario) {
        PromptLength length = value.isMapping() ? range(value) : PromptLength.exactly(value.wholeNumber(1, LENGTHS));
        value.require(
                scenario.mayHave(length),
                String.format(
                        Locale.ROOT,
                        "the scenario measures prompts of %s tokens, and none of them is meant; add one to `scenario.promptTokens`, or leave the rule out by `without`",
                        scenario.promptTokens()));
        return length;
    }

    private static PromptLength range(Value value) {
        Section range = value.section(Vocabulary.LENGTHS);
        value.require(!range.entries().isEmpty(), LENGTHS);
        int least = range.get("atLeast").map(v -> v.wholeNumber(1, LENGTHS)).orElse(1);
        int most = range.get("atMost").map(v -> v.wholeNumber(1, LENGTHS)).orElse(Integer.MAX_VALUE);
        value.require(least <= most, "`atLeast` is above `atMost`; put them in order");
        return PromptLength.between(least, most);
    }
}
