package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Optional;
import org.apiguardian.api.API;

/** One thing that has to hold. A rule that leaves out what it holds for cannot be made. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Rule
        permits LatencyRule,
                MeanLatencyRule,
                RequestItlRule,
                ThroughputRule,
                SystemThroughputRule,
                GoodputRule,
                FluidityRule,
                FailureRule,
                DriftRule,
                DeviceMemoryRule {

    /** What a limit is about. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    enum Kind {
        /** A percentile of the values, or the share of the requests that reach a rate. */
        PERCENTILE,
        /** A percentile over requests of a percentile of each one's gaps. */
        REQUEST_PERCENTILE,
        /** A mean of times. */
        MEAN,
        /** All tokens over the time of the run. */
        SYSTEM_TGS,
        /** The share of the requests that meet limits of their own. */
        GOODPUT,
        /** The share of the tokens that come in time. */
        FLUIDITY,
        /** The share of the requests that do not complete. */
        FAILURE_SHARE,
        /** The change from the first third of the run to the last, as a share. */
        DRIFT,
        /** The largest value seen. */
        DEVICE_MEMORY
    }

    /** {@return what the limit is about} */
    Kind kind();

    /** {@return the name of what is judged, such as {@code ITL} or {@code goodput}} */
    String label();

    /** {@return what the limit is in} */
    Metric.Unit unit();

    /** {@return whether what is judged may be at most the limit, else it has to be at least the limit} */
    boolean isAtMost();

    /** {@return the limit, included, in {@link #unit()}} */
    double limitInUnit();

    /** {@return the same rule with another limit, in {@link #unit()}} */
    Rule withLimit(double limitInUnit);

    /** {@return the prompt lengths that the rule names; empty where it is about all, or names them otherwise} */
    default Optional<PromptLength> promptLength() {
        return Optional.empty();
    }

    /** {@return whether requests with prompts of so many tokens are ones that the rule is about} */
    default boolean appliesTo(int promptTokens) {
        return promptLength().isEmpty() || promptLength().get().includes(promptTokens);
    }

    /** {@return whether this request is one that the rule is about} */
    default boolean appliesTo(TokenTrace trace) {
        return appliesTo(trace.promptTokens());
    }

    /** {@return which requests the rule is about, in words, such as {@code prompts of 512 tokens}} */
    default String scope() {
        return promptLength().map(l -> "prompts of " + l + " tokens").orElse("all prompts");
    }

    /** {@return the rule on one line, such as {@code ITL P95 at most 50.0 ms}} */
    String text();
}
