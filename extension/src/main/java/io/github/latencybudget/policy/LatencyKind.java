package io.github.latencybudget.policy;

import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A percentile of a time is at most a limit. */
record LatencyKind() implements RuleKind {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_MILLIS = Duration.ofDays(1).toMillis();

    @Override
    public List<String> keys() {
        return List.of("promptTokens", "percentile", "atMostMs");
    }

    @Override
    public Rule read(Metric metric, Section rule, PolicyScenario scenario) {
        if (metric == Metric.TTFT) {
            rule.require(
                    "promptTokens",
                    "a TTFT limit is bound to a prompt length: name it, such as `promptTokens: {atMost: 128}`");
        }
        Optional<PromptLength> length = rule.get("promptTokens").map(v -> Lengths.of(v, scenario));
        Value limit = rule.require("atMostMs", "name the limit in milliseconds");
        return new LatencyRule(metric, Percentiles.of(rule.get("percentile")), duration(limit), length);
    }

    private static Duration duration(Value value) {
        String allowed = "a limit is between one nanosecond and one day, in milliseconds";
        double millis = value.number(allowed);
        value.require(millis <= MOST_MILLIS && millis * NANOS_PER_MILLI >= 1, allowed);
        return Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI));
    }
}
