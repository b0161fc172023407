package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Sampling;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * The four conditions without which a number of tokens per second says nothing.
 *
 * @param promptTokens the prompt lengths of the run, all of them, in equal shares
 * @param sampling how tokens are chosen
 * @param concurrency how many requests are in flight at a time
 * @param maxDeviceMemoryBytes the device memory that the rate has to be reached within
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ThroughputConditions(
        SortedSet<Integer> promptTokens, Sampling sampling, int concurrency, long maxDeviceMemoryBytes) {

    /** @throws IllegalArgumentException without a prompt length, or for a number that is below 1 */
    public ThroughputConditions {
        promptTokens = Collections.unmodifiableSortedSet(new TreeSet<>(promptTokens));
        if (promptTokens.isEmpty() || promptTokens.first() < 1) {
            throw new IllegalArgumentException(
                    "promptTokens = %s: must name at least one length, each at least 1".formatted(promptTokens));
        }
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency = %d: must be at least 1".formatted(concurrency));
        }
        if (maxDeviceMemoryBytes < 1) {
            throw new IllegalArgumentException(
                    "maxDeviceMemoryBytes = %d: must be at least 1".formatted(maxDeviceMemoryBytes));
        }
    }

    /** {@return conditions with these prompt lengths} */
    public static ThroughputConditions of(
            Collection<Integer> promptTokens, Sampling sampling, int concurrency, long maxDeviceMemoryBytes) {
        return new ThroughputConditions(new TreeSet<>(promptTokens), sampling, concurrency, maxDeviceMemoryBytes);
    }

    /** {@return the conditions in words} */
    @Override
    public String toString() {
        return "prompts of %s tokens, %s, concurrency %d, within %s of device memory"
                .formatted(
                        promptTokens.stream().map(String::valueOf).collect(Collectors.joining(" and ")),
                        sampling,
                        concurrency,
                        Quantity.gibibytes(maxDeviceMemoryBytes));
    }
}
