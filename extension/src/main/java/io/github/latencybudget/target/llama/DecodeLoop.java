package io.github.latencybudget.target.llama;

import java.util.Set;
import java.util.function.LongConsumer;

/**
 * When an output ends.
 *
 * @param outputTokens how many tokens there may be
 * @param ignoreEos whether to go on after an end-of-sequence token
 * @param eos the end-of-sequence ids
 */
record DecodeLoop(int outputTokens, boolean ignoreEos, Set<Integer> eos) {

    /** What chooses tokens. */
    interface Decoder {

        /** Takes the prompt. {@return the first output token} */
        long prefill();

        /** Takes the latest output token. {@return the next one} */
        long decode();
    }

    /** Tells {@code token} of every output token, an end-of-sequence token included, as soon as it is known. */
    void run(Decoder decoder, LongConsumer token) {
        long id = decoder.prefill();
        token.accept(id);
        for (int i = 1; i < outputTokens && !ends(id); i++) {
            id = decoder.decode();
            token.accept(id);
        }
    }

    private boolean ends(long id) {
        return !ignoreEos && eos.contains((int) id);
    }
}
