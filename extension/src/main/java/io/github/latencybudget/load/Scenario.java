package io.github.latencybudget.load;

import io.github.latencybudget.trace.Sampling;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apiguardian.api.API;

/**
 * What to run: a closed loop of requests, of each prompt length in turn. Every request has a prompt of its own.
 *
 * @param promptTokens the prompt lengths, BOS included
 * @param requestsPerPromptLength how many requests to measure at each, at most
 * @param maxDuration after how long no further request starts; empty for however long it takes
 * @param outputTokens how many output tokens each request generates, exactly
 * @param sampling how tokens are chosen
 * @param concurrency how many requests are in flight at a time: whenever one ends, the next starts
 * @param warmUp when a prompt length counts as warm
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Scenario(
        SortedSet<Integer> promptTokens,
        int requestsPerPromptLength,
        Optional<Duration> maxDuration,
        int outputTokens,
        Sampling sampling,
        int concurrency,
        WarmUpPlan warmUp) {

    /** @throws IllegalArgumentException for a concurrency below 1 */
    public Scenario {
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency = %s: must be at least 1".formatted(concurrency));
        }
        promptTokens = Collections.unmodifiableSortedSet(new TreeSet<>(promptTokens));
    }

    /** As long as it takes. */
    public Scenario(
            SortedSet<Integer> promptTokens,
            int requestsPerPromptLength,
            int outputTokens,
            Sampling sampling,
            int concurrency,
            WarmUpPlan warmUp) {
        this(promptTokens, requestsPerPromptLength, Optional.empty(), outputTokens, sampling, concurrency, warmUp);
    }

    /** {@return how many requests are measured in all, at most} */
    public int requests() {
        return promptTokens.size() * requestsPerPromptLength;
    }
}
