package io.github.latencybudget.target.llama;

import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * When an output ends.
 *
 * @param outputTokens how many tokens there may be
 * @param ignoreEos whether to go on after an end-of-sequence token
 * @param eos the end-of-sequence ids
 * @param stop gives, for one output, what takes its ids in order and says whether it ends with one; not asked where
 *     end-of-sequence is ignored
 */
record DecodeLoop(int outputTokens, boolean ignoreEos, Set<Integer> eos, Supplier<LongPredicate> stop) {

    /** Without stop strings. */
    DecodeLoop(int outputTokens, boolean ignoreEos, Set<Integer> eos) {
        this(outputTokens, ignoreEos, eos, () -> id -> false);
    }

    /** What chooses tokens. */
    interface Decoder {

        /** Takes the prompt. {@return the first output token} */
        long prefill();

        /** Takes the latest output token. {@return the next one} */
        long decode();
    }

    /** Tells {@code token} of every output token, an end-of-sequence token included, as soon as it is known. */
    void run(Decoder decoder, LongConsumer token) {
        LongPredicate stops = stop.get();
        long id = decoder.prefill();
        token.accept(id);
        for (int i = 1; i < outputTokens && !ends(id, stops); i++) {
            id = decoder.decode();
            token.accept(id);
        }
    }

    private boolean ends(long id, LongPredicate stops) {
        return !ignoreEos && (eos.contains((int) id) || stops.test(id));
    }
}
