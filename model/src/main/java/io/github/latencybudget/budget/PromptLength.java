package io.github.latencybudget.budget;

import java.util.Locale;
import org.apiguardian.api.API;

/**
 * The prompt lengths that a rule holds for, in tokens of the model's own tokenizer, BOS included.
 *
 * @param min the shortest, included
 * @param max the longest, included; {@link Integer#MAX_VALUE} where there is none
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record PromptLength(int min, int max) {

    /** @throws IllegalArgumentException where {@code min} is below 1 or above {@code max} */
    public PromptLength {
        if (min < 1 || max < min) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "promptTokens = %s to %s: must be at least 1 and in order", min, max));
        }
    }

    /** {@return this length and no other} */
    public static PromptLength exactly(int tokens) {
        return new PromptLength(tokens, tokens);
    }

    /** {@return every length from the first to the last, both included} */
    public static PromptLength between(int min, int max) {
        return new PromptLength(min, max);
    }

    /** {@return every length above this one} */
    public static PromptLength above(int tokens) {
        return new PromptLength(tokens + 1, Integer.MAX_VALUE);
    }

    /** {@return whether a prompt of so many tokens is meant} */
    public boolean includes(int tokens) {
        return min <= tokens && tokens <= max;
    }

    /** {@return such as {@code 512}, {@code 129 to 512} or {@code above 512}, to be followed by "tokens"} */
    @Override
    public String toString() {
        if (min == max) {
            return Integer.toString(min);
        }
        return max == Integer.MAX_VALUE ? "above " + (min - 1) : min + " to " + max;
    }
}
