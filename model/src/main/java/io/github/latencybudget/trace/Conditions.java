package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * What a run's numbers hold for. Two runs can be compared only where these agree, the seed of the sampling and how many requests
 * there are of each prompt length aside, as long as their shares are the same.
 *
 * @param model the model's name, such as {@code Llama-2-7b}
 * @param weights where its weights come from, such as {@code synthetic, seed 42}
 * @param dtype the type that it computes in, such as {@code fp16}
 * @param device the device, by its own name, such as {@code NVIDIA H200}
 * @param requestsByPromptTokens the distribution of prompt lengths: how many requests were planned at each length
 * @param outputTokens the declared number of output tokens of every request
 * @param sampling how tokens were chosen
 * @param concurrency how many requests were in flight at a time; in an open loop, how many ever were, from when they were due
 * @param settings what else the target was told that its numbers depend on, by name, such as {@code use_cache: off}; sorted, and
 *     without what is as by default
 * @param openLoop the arrivals of an open loop; empty for a closed one
 * @param workload how the requests followed one another
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Conditions(
        String model,
        String weights,
        String dtype,
        String device,
        SortedMap<Integer, Integer> requestsByPromptTokens,
        int outputTokens,
        Sampling sampling,
        int concurrency,
        SortedMap<String, String> settings,
        Optional<Load.Open> openLoop,
        Workload workload) {

    private static final int MOST_LENGTHS = 12;

    public Conditions {
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        requestsByPromptTokens = Collections.unmodifiableSortedMap(new TreeMap<>(requestsByPromptTokens));
    }

    /** Of a closed loop, with prompts of each length in turn and all settings as by default. */
    public Conditions(
            String model,
            String weights,
            String dtype,
            String device,
            SortedMap<Integer, Integer> requestsByPromptTokens,
            int outputTokens,
            Sampling sampling,
            int concurrency) {
        this(
                model,
                weights,
                dtype,
                device,
                requestsByPromptTokens,
                outputTokens,
                sampling,
                concurrency,
                Collections.emptySortedMap(),
                Optional.empty(),
                Workload.IN_TURN);
    }

    /** {@return the load in words, such as {@code concurrency 4}, with the think time where there is one, or {@code open loop of 5 requests/s, Poisson}} */
    public String load() {
        return openLoop.map(Load.Open::text)
                .orElse("concurrency " + concurrency
                        + workload.thinkTime().map(t -> ", " + t).orElse(""));
    }

    /** {@return how many requests of the run may share a moment: those in flight, with the turns of their conversations} */
    public int sharingAMoment() {
        return Math.max(1, concurrency) * workload.turnsTogether();
    }

    /**
     * {@return the prompt lengths in words, such as {@code 128 (60 requests), 512 (60 requests)}, or where they are many, {@code 17
     * to 2048 (200 requests)}}
     */
    public String promptLengths() {
        if (requestsByPromptTokens.size() > MOST_LENGTHS) {
            return String.format(
                    Locale.ROOT,
                    "%s to %s (%s requests)",
                    requestsByPromptTokens.firstKey(),
                    requestsByPromptTokens.lastKey(),
                    requestsByPromptTokens.values().stream()
                            .mapToInt(Integer::intValue)
                            .sum());
        }
        return requestsByPromptTokens.entrySet().stream()
                .map(e -> String.format(
                        Locale.ROOT, "%s (%s request%s)", e.getKey(), e.getValue(), e.getValue() == 1 ? "" : "s"))
                .collect(Collectors.joining(", "));
    }
}
