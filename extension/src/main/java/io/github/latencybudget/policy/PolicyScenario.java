package io.github.latencybudget.policy;

import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.prompts.PromptFiles;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import org.apiguardian.api.API;

/**
 * What a policy runs on each of its targets.
 *
 * @param promptTokens the prompt lengths, BOS included; none where prompts come from a file
 * @param shares that these lengths have, drawn; empty where they take turns
 * @param file where prompts come from; empty where they are made
 * @param outputTokens how many output tokens each request generates, exactly
 * @param requests how many requests are measured at most: at each prompt length where they take turns, else in all
 * @param maxDuration after how long no further request starts; empty for however long it takes
 * @param concurrency how many requests are in flight at a time
 * @param openLoop the arrivals of an open loop, whatever the seed; empty for a closed one
 * @param sweep the loads of a sweep, whatever the seed; empty for a single run
 * @param thinkTime how long each user of a closed loop thinks, whatever the seed; empty for not at all
 * @param sampling how tokens are chosen, whatever the seed
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicyScenario(
        SortedSet<Integer> promptTokens,
        Optional<PromptShares> shares,
        Optional<String> file,
        int outputTokens,
        int requests,
        Optional<Duration> maxDuration,
        int concurrency,
        Optional<Load.Open> openLoop,
        Optional<SweepPlan> sweep,
        Optional<ThinkTime> thinkTime,
        Sampling sampling) {

    /** {@return the lengths in words, such as {@code [128, 512]} or {@code 128, 512 drawn 3:1}} */
    String lengthsInWords() {
        return shares.map(PromptShares::toString).orElse(promptTokens.toString());
    }

    /** {@return whether prompts of these lengths may be run} Which lengths a file has is found when it has run. */
    boolean mayHave(PromptLength length) {
        return file.isPresent() || promptTokens.stream().anyMatch(length::includes);
    }

    private Prompts prompts(long seed) {
        if (file.isPresent()) {
            return openLoop.isPresent()
                    ? PromptFiles.readSinglePrompts(file.get(), requests, seed)
                    : PromptFiles.read(file.get(), requests, seed);
        }
        return shares.<Prompts>map(s -> new Prompts.Drawn(s, seed)).orElse(Prompts.IN_TURN);
    }

    /**
     * {@return the scenario with the seed of what is drawn}
     *
     * @throws io.github.latencybudget.prompts.PromptFileException where its file cannot be read, or has conversations of
     *     several turns for an open loop
     */
    public Scenario withSeed(long seed) {
        return new Scenario(
                promptTokens,
                prompts(seed),
                requests,
                maxDuration,
                outputTokens,
                sampling.withSeed(seed),
                openLoop.<Load>map(open -> open.withSeed(seed))
                        .orElseGet(() -> new Load.Closed(concurrency, thinkTime.map(t -> t.withSeed(seed)))),
                WarmUpPlan.DEFAULT);
    }
}
