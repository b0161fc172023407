package io.github.latencybudget.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * How the next token is chosen. The order is that of Hugging Face's {@code generate}: repetition penalty, temperature, top-k,
 * top-p, softmax, draw.
 *
 * @param temperature 0 for greedy decoding, else the divisor of the logits
 * @param topK how many of the most probable tokens are drawn from; 0 for all. Tokens as probable as the last of them stay too
 * @param topP the share of the probability mass that is drawn from, above 0 and at most 1: the fewest most probable tokens that
 *     reach it together
 * @param repetitionPenalty what the logits of tokens that came before, in prompt or output, are divided by where they are
 *     positive and multiplied by where they are negative; 1 for no penalty
 * @param seed what the draws follow from, together with the prompt's number; 0 where nothing is drawn. It says which tokens
 *     come, not how they are chosen: see {@link #isLike}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Sampling(double temperature, int topK, double topP, double repetitionPenalty, long seed) {

    /** Always the most probable token. */
    public static final Sampling GREEDY = new Sampling(0, 0, 1, 1, 0);

    /** The least temperature above 0: below it, logits in single precision overflow. */
    public static final double LEAST_TEMPERATURE = 1e-4;

    /**
     * @throws IllegalArgumentException for a temperature that is neither 0 nor finite and at least {@link #LEAST_TEMPERATURE}, a
     *     negative topK, a topP outside (0, 1], a repetitionPenalty that is not above 0 and finite, and for a topK or topP at the
     *     temperature 0, which they have no effect at
     */
    public Sampling {
        check(isTemperature(temperature), "temperature", temperature, "must be 0, or finite and at least 1.0E-4");
        check(topK >= 0, "topK", topK, "must be 0 or above");
        check(topP > 0 && topP <= 1, "topP", topP, "must be above 0 and at most 1");
        check(
                repetitionPenalty > 0 && repetitionPenalty < Double.POSITIVE_INFINITY,
                "repetitionPenalty",
                repetitionPenalty,
                "must be above 0 and finite");
        if (temperature == 0) {
            check(topK == 0, "topK", topK, "has no effect at the temperature 0");
            check(topP == 1, "topP", topP, "has no effect at the temperature 0");
            // what draws nothing is the same whatever the seed, and -0.0 is no other temperature
            seed = 0;
            temperature = 0;
        }
    }

    /** Draws from a share of the probability mass, without top-k, repetition penalty and with the seed 0. */
    public Sampling(double temperature, double topP) {
        this(temperature, 0, topP, 1, 0);
    }

    private static void check(boolean holds, String name, Object value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "%s = %s: %s", name, value, rule));
        }
    }

    private static boolean isTemperature(double value) {
        return value == 0 || value >= LEAST_TEMPERATURE && value < Double.POSITIVE_INFINITY;
    }

    /** {@return this, drawing from so many of the most probable tokens only} */
    public Sampling withTopK(int topK) {
        return new Sampling(temperature, topK, topP, repetitionPenalty, seed);
    }

    /** {@return this with a repetition penalty} */
    public Sampling withRepetitionPenalty(double repetitionPenalty) {
        return new Sampling(temperature, topK, topP, repetitionPenalty, seed);
    }

    /** {@return this with the draws of another seed; greedy decoding stays what it is} */
    public Sampling withSeed(long seed) {
        return new Sampling(temperature, topK, topP, repetitionPenalty, seed);
    }

    /** {@return whether tokens are drawn, so that the seed matters; else each is the most probable one} */
    public boolean isDrawn() {
        return temperature > 0;
    }

    /** {@return whether the tokens are chosen in the same way, be it from other seeds: then numbers can be compared} */
    public boolean isLike(Sampling other) {
        return withSeed(0).equals(other.withSeed(0));
    }

    /** {@return what differs from greedy decoding, in words, such as {@code temperature 0.8, top-p 0.9}; without the seed} */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        words.add(isDrawn() ? "temperature " + temperature : "greedy");
        if (topK > 0) {
            words.add("top-k " + topK);
        }
        if (topP < 1) {
            words.add("top-p " + topP);
        }
        if (repetitionPenalty != 1) {
            words.add("repetition penalty " + repetitionPenalty);
        }
        return String.join(", ", words);
    }
}
