package io.github.latencybudget.target.llama;

import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chooses the tokens of one request other than greedily. All its random numbers are made before its time starts, from the seed
 * and the prompt's number, so that they are the same on every device and no step waits for one.
 */
final class Draws implements DecodeLoop.Decoder {

    private static final int BITS = 30;

    private final LlamaProgram program;
    private final Sampling sampling;
    private final long[] ids;
    private final long[] numbers;

    /** @param ids the prompt */
    Draws(LlamaProgram program, Sampling sampling, long[] ids, int outputTokens, long promptNumber) {
        this.program = program;
        this.sampling = sampling;
        this.ids = ids;
        this.numbers = numbers(sampling, outputTokens, promptNumber);
    }

    /** {@return a number for each token, from 0 to 2^30 - 1; 0 where none is drawn} */
    static long[] numbers(Sampling sampling, int outputTokens, long promptNumber) {
        long[] numbers = new long[outputTokens];
        if (sampling.isDrawn()) {
            // split off, so that they have nothing in common with the prompts of the same seed
            long start = new SplittableRandom(sampling.seed()).split().nextLong();
            SplittableRandom random = new SplittableRandom(start + promptNumber);
            Arrays.setAll(numbers, i -> random.nextLong() >>> (Long.SIZE - BITS));
        }
        return numbers;
    }

    /** {@return how many tokens prompt and output have together} */
    int tokens() {
        return ids.length + numbers.length;
    }

    /** {@return the length of the prompt, in tokens} */
    int promptTokens() {
        return ids.length;
    }

    /** Brings to the device what the request needs there. What another request brought is lost. */
    void bring() {
        program.sampling(sampling, numbers, ids);
    }

    @Override
    public long prefill() {
        return program.prefillDrawn(ids);
    }

    @Override
    public long decode() {
        return program.decodeDrawn();
    }
}
