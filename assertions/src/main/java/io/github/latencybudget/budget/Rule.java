package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.TokenTrace;
import org.apiguardian.api.API;

/** One thing that has to hold. A rule that leaves out what it holds for cannot be made. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Rule permits LatencyRule, ThroughputRule {

    /** {@return the metric that is judged} */
    Metric metric();

    /** {@return whether this request is one that the rule is about} */
    boolean appliesTo(TokenTrace trace);

    /** {@return which requests the rule is about, in words, such as {@code prompts of 512 tokens}} */
    String scope();

    /** {@return the rule on one line, such as {@code ITL P95 at most 50.0 ms}} */
    String text();
}
