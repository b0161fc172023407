package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.TokenTrace;
import org.apiguardian.api.API;

/** One thing that has to hold. A rule that leaves out what it holds for cannot be made. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Rule permits LatencyRule, ThroughputRule {

    /** {@return the metric that is judged} */
    Metric metric();

    /** {@return the share of the values that have to hold the limit: P95 for 95% of them} */
    Percentile percentile();

    /** {@return the limit, included, in the unit of the metric: nanoseconds or tokens per second} */
    double limitInUnit();

    /** {@return whether requests with prompts of so many tokens are ones that the rule is about} */
    boolean appliesTo(int promptTokens);

    /** {@return whether this request is one that the rule is about} */
    default boolean appliesTo(TokenTrace trace) {
        return appliesTo(trace.promptTokens());
    }

    /** {@return which requests the rule is about, in words, such as {@code prompts of 512 tokens}} */
    String scope();

    /** {@return the rule on one line, such as {@code ITL P95 at most 50.0 ms}} */
    String text();
}
