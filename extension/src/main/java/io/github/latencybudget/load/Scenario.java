package io.github.latencybudget.load;

import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apiguardian.api.API;

/**
 * What to run: requests of each prompt length in turn, in a closed or an open loop. Every request has a prompt of its own.
 *
 * @param promptTokens the prompt lengths, BOS included
 * @param requestsPerPromptLength how many requests to measure at each, at most
 * @param maxDuration after how long no further request starts, or is due in an open loop; empty for however long it takes
 * @param outputTokens how many output tokens each request generates, exactly
 * @param sampling how tokens are chosen
 * @param load how they are put on the target
 * @param warmUp when a prompt length counts as warm
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Scenario(
        SortedSet<Integer> promptTokens,
        int requestsPerPromptLength,
        Optional<Duration> maxDuration,
        int outputTokens,
        Sampling sampling,
        Load load,
        WarmUpPlan warmUp) {

    public Scenario {
        promptTokens = Collections.unmodifiableSortedSet(new TreeSet<>(promptTokens));
    }

    /**
     * A closed loop.
     *
     * @throws IllegalArgumentException for a concurrency below 1
     */
    public Scenario(
            SortedSet<Integer> promptTokens,
            int requestsPerPromptLength,
            Optional<Duration> maxDuration,
            int outputTokens,
            Sampling sampling,
            int concurrency,
            WarmUpPlan warmUp) {
        this(
                promptTokens,
                requestsPerPromptLength,
                maxDuration,
                outputTokens,
                sampling,
                new Load.Closed(concurrency),
                warmUp);
    }

    /**
     * A closed loop that takes as long as it takes.
     *
     * @throws IllegalArgumentException for a concurrency below 1
     */
    public Scenario(
            SortedSet<Integer> promptTokens,
            int requestsPerPromptLength,
            int outputTokens,
            Sampling sampling,
            int concurrency,
            WarmUpPlan warmUp) {
        this(promptTokens, requestsPerPromptLength, Optional.empty(), outputTokens, sampling, concurrency, warmUp);
    }

    /** {@return the same for however long it takes} */
    Scenario untimed() {
        return new Scenario(
                promptTokens, requestsPerPromptLength, Optional.empty(), outputTokens, sampling, load, warmUp);
    }

    /** {@return how many requests a closed loop has in flight at a time; 1 for an open one, in which that is a result} */
    public int concurrency() {
        return load instanceof Load.Closed closed ? closed.concurrency() : 1;
    }

    /** {@return the open loop; empty for a closed one} */
    public Optional<Load.Open> openLoop() {
        return load instanceof Load.Open open ? Optional.of(open) : Optional.empty();
    }

    /** {@return how many requests are measured in all, at most} */
    public int requests() {
        return promptTokens.size() * requestsPerPromptLength;
    }
}
