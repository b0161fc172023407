package io.github.latencybudget.llama;

import java.util.List;

/** A way to run steps of the program. Not for two threads at once. */
interface Decoding extends AutoCloseable {

    /** {@return what results call it, such as {@code own kernels, cuda graph}, or {@code plain} and why it is not better} */
    String description();

    /**
     * Makes what steps need and that is not part of a request's time.
     *
     * @param sequences how many may be in a step at most, from now on
     */
    void prepare(int sequences);

    /** Takes the prompts of some sequences. {@return the next token of each} */
    long[] prefill(List<Sequence> sequences);

    /**
     * Takes the latest token of some sequences, or all their tokens where they have no KV cache.
     *
     * @param again whether the same sequences take one more step after this one, whatever it gives: it may be begun ahead
     * @return the next token of each
     */
    long[] decode(List<Sequence> sequences, boolean again);

    /** {@return whether the step after the last one was begun ahead; then nothing is asked for but that step, or to drop it} */
    default boolean isAhead() {
        return false;
    }

    /** Waits for a step that was begun ahead, and forgets what it gives. */
    default void dropAhead() {
        // nothing was begun
    }

    /** {@return the logits after one token at the place {@code place}, counted from 0, of a sequence fed token by token} */
    float[] logits(int slot, long id, int place);

    /**
     * {@return how long the device worked for each step since the last call, in nanoseconds, once it is done with all of them;
     * empty where there is no CUDA device}
     */
    long[] takeDeviceNanos();

    @Override
    void close();
}
