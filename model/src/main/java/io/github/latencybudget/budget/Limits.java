package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Refuses what no limit can be. */
final class Limits {

    private static final int LEAST_THOUSANDTHS = 1000;

    /** Up to here, and a little further, a double tells every two nanoseconds apart. */
    private static final Duration MAX_TIME = Duration.ofDays(100);

    private Limits() {}

    static void requireTime(String name, Duration limit) {
        if (limit.isZero() || limit.isNegative() || limit.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s = %s: must be above zero and at most 100 days", name, limit));
        }
    }

    static void requireTime(Metric metric) {
        if (metric.unit() != Metric.Unit.NANOSECONDS) {
            throw new IllegalArgumentException(
                    metric.label() + " is not a time: use a ThroughputRule, which names its conditions");
        }
    }

    static void requirePromptLength(Metric metric, Optional<PromptLength> promptLength) {
        if ((metric == Metric.TTFT || metric == Metric.TTFO) && promptLength.isEmpty()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "a %s limit has to name the prompt length that it holds for", metric.label()));
        }
    }

    static void requireShowable(String name, Percentile percentile) {
        if (percentile.shareAbove() == 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s = 100: no number of requests shows that none is ever beyond a limit; use 99 or 99.9",
                    name));
        }
        if (percentile.thousandths() < LEAST_THOUSANDTHS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s = %s: must be at least 1, in percent such as 95, and not a share such as 0.95",
                    name,
                    percentile));
        }
    }

    static void requireShare(String name, double share) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s = %s: must be above 0 and below 1, for no number of requests shows what holds without exception",
                    name,
                    share));
        }
    }

    static void requireRate(double tokensPerSecond) {
        if (!(tokensPerSecond > 0 && tokensPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "minTokensPerSecond = %s: must be above 0 and finite", tokensPerSecond));
        }
    }

    /** {@return such as {@code  for prompts of 512 tokens}, to follow a limit; nothing for all prompts} */
    static String of(Optional<PromptLength> promptLength) {
        return promptLength.map(l -> " for prompts of " + l + " tokens").orElse("");
    }

    /** {@return whether a value in the unit of the rule is one that the rule allows} */
    static boolean isWithin(Rule rule, double value) {
        return rule.isAtMost() ? value <= rule.limitInUnit() : value >= rule.limitInUnit();
    }

    static Duration time(double nanos) {
        return Duration.ofNanos(Math.round(nanos));
    }
}
