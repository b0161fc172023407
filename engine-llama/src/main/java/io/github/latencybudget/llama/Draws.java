package io.github.latencybudget.llama;

import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How the tokens of one request are chosen. All its random numbers are made before its time starts, from the seed and the
 * prompt's number, so that they are the same on every device.
 *
 * @param numbers one for each output token, from 0 to 2^30 - 1; 0 where none is drawn
 */
record Draws(Sampling sampling, long[] numbers) {

    private static final int BITS = 30;

    /** {@return those of a request} */
    static Draws of(Sampling sampling, int outputTokens, long promptNumber) {
        long[] numbers = new long[outputTokens];
        if (sampling.isDrawn()) {
            // split off, so that they have nothing in common with the prompts of the same seed
            long start = new SplittableRandom(sampling.seed()).split().nextLong();
            SplittableRandom random = new SplittableRandom(start + promptNumber);
            Arrays.setAll(numbers, i -> random.nextLong() >>> (Long.SIZE - BITS));
        }
        return new Draws(sampling, numbers);
    }

    /** {@return whether every token is simply the most probable one} */
    boolean isGreedy() {
        return !sampling.isDrawn() && sampling.repetitionPenalty() == 1;
    }
}
