package io.github.latencybudget.trace;

import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * The shares that prompt lengths have in a run: each request draws its length.
 *
 * @param weights of each prompt length, BOS included; without a common divisor, so that 2 to 2 is 1 to 1
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record PromptShares(SortedMap<Integer, Integer> weights) {

    /** @throws IllegalArgumentException without a length, or for a length or a weight below 1 */
    public PromptShares {
        if (weights.isEmpty()) {
            throw new IllegalArgumentException("weights = {}: must name at least one prompt length");
        }
        weights.forEach((length, weight) -> {
            if (length < 1 || weight < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "weights = {%s=%s}: a prompt length and its weight must be at least 1",
                        length,
                        weight));
            }
        });
        int divisor = weights.values().stream().reduce(0, PromptShares::greatestCommonDivisor);
        TreeMap<Integer, Integer> reduced = new TreeMap<>(weights);
        reduced.replaceAll((length, weight) -> weight / divisor);
        weights = Collections.unmodifiableSortedMap(reduced);
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    /** {@return the sum of the weights} */
    public long total() {
        return weights.values().stream().mapToLong(Integer::longValue).sum();
    }

    /**
     * {@return the length that a number draws}
     *
     * @param number from 0, below {@link #total}
     */
    public int at(long number) {
        long before = 0;
        for (Map.Entry<Integer, Integer> entry : weights.entrySet()) {
            before += entry.getValue();
            if (number < before) {
                return entry.getKey();
            }
        }
        throw new IllegalArgumentException(
                String.format(Locale.ROOT, "number = %s: must be below %s", number, total()));
    }

    /** {@return such as {@code drawn 3:1}, in the order of the lengths} */
    public String ratio() {
        return "drawn " + joined(":", weights.values());
    }

    /** {@return such as {@code 128, 512 drawn 3:1}} */
    @Override
    public String toString() {
        return joined(", ", weights.keySet()) + " " + ratio();
    }

    private static String joined(String separator, Collection<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(separator));
    }
}
