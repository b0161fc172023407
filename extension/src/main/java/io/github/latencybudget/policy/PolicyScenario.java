package io.github.latencybudget.policy;

import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import org.apiguardian.api.API;

/**
 * What a policy runs on each of its targets.
 *
 * @param promptTokens the prompt lengths, BOS included
 * @param outputTokens how many output tokens each request generates, exactly
 * @param requests how many requests are measured at each prompt length, at most
 * @param maxDuration after how long no further request starts; empty for however long it takes
 * @param concurrency how many requests are in flight at a time
 * @param openLoop the arrivals of an open loop, whatever the seed; empty for a closed one
 * @param sampling how tokens are chosen, whatever the seed
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicyScenario(
        SortedSet<Integer> promptTokens,
        int outputTokens,
        int requests,
        Optional<Duration> maxDuration,
        int concurrency,
        Optional<Load.Open> openLoop,
        Sampling sampling) {

    /** {@return the scenario with the seed of what is drawn} */
    public Scenario withSeed(long seed) {
        return new Scenario(
                promptTokens,
                requests,
                maxDuration,
                outputTokens,
                sampling.withSeed(seed),
                openLoop.<Load>map(open -> open.withSeed(seed)).orElseGet(() -> new Load.Closed(concurrency)),
                WarmUpPlan.DEFAULT);
    }
}
