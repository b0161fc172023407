package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The KV caches of a model's sequences, each exactly as large as its sequence. The cache of one that ended is kept for the next
 * of its size, so that requests of one size allocate once. For the scheduler's thread.
 */
final class KvCaches {

    /** As many sequences as there can be. */
    static final int MOST = 64;

    private static final int NONE = -1;

    private final LlamaProgram program;
    private final MemoryNeed memory;
    private final int[] tokens = new int[MOST];
    private final boolean[] taken = new boolean[MOST];
    private int nowTaken;
    private volatile int mostTaken;
    private volatile long mostTokens;

    KvCaches(LlamaProgram program, MemoryNeed memory) {
        this.program = program;
        this.memory = memory;
        Arrays.fill(tokens, NONE);
    }

    /**
     * {@return a slot with a KV cache for so many tokens, 0 for a slot without one}
     *
     * @param idle whether nobody would wait for memory to be given back to the device
     */
    int take(int tokensOfSequence, boolean idle) {
        int slot = free(tokensOfSequence);
        if (slot == NONE) {
            giveBackFree(idle);
            slot = free(NONE);
            if (slot == NONE) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%d requests are prepared and have not ended: run them first, there are no more at a time",
                        MOST));
            }
            memory.checkCache(tokensOfSequence);
            program.open(slot, tokensOfSequence);
            tokens[slot] = tokensOfSequence;
        }
        taken[slot] = true;
        count();
        return slot;
    }

    private int free(int tokensOfSequence) {
        for (int slot = 0; slot < MOST; slot++) {
            if (!taken[slot] && tokens[slot] == tokensOfSequence) {
                return slot;
            }
        }
        return NONE;
    }

    private void giveBackFree(boolean idle) {
        boolean any = false;
        for (int slot = 0; slot < MOST; slot++) {
            if (!taken[slot] && tokens[slot] != NONE) {
                program.close(slot);
                any |= tokens[slot] > 0;
                tokens[slot] = NONE;
            }
        }
        if (any && idle) {
            program.trim();
        }
    }

    private void count() {
        long sum = 0;
        nowTaken = 0;
        for (int slot = 0; slot < MOST; slot++) {
            if (taken[slot]) {
                nowTaken++;
                sum += tokens[slot];
            }
        }
        mostTaken = Math.max(mostTaken, nowTaken);
        mostTokens = Math.max(mostTokens, sum);
    }

    /** {@return how many slots are taken} */
    int taken() {
        return nowTaken;
    }

    /** The sequence of a slot ended. */
    void giveBack(int slot) {
        taken[slot] = false;
        nowTaken--;
    }

    /** Drops the caches of sequences that ended, so that the next one is new, all zeros. Their memory stays with the engine. */
    void forget() {
        giveBackFree(false);
    }

    /** Gives the caches of sequences that ended back to the device. */
    void trim() {
        giveBackFree(true);
    }

    /** {@return how many sequences there were at a time at most, and what their caches held together; for any thread} */
    String description() {
        return String.format(
                Locale.ROOT,
                "for %d sequence%s at a time, %d tokens together, %d bytes",
                mostTaken,
                mostTaken == 1 ? "" : "s",
                mostTokens,
                mostTokens * memory.cacheBytesPerToken());
    }
}
