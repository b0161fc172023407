package io.github.latencybudget.llama;

import java.util.Locale;

/**
 * Which sequences keep their keys and values between steps. Without a KV cache every step takes all tokens again: it needs no
 * memory, and more time the longer the sequence is.
 *
 * @param leastPromptTokens the shortest prompt that gets a KV cache
 */
record KvMode(int leastPromptTokens) {

    /** Every sequence. */
    static final KvMode ON = new KvMode(0);

    /** None. */
    static final KvMode OFF = new KvMode(Integer.MAX_VALUE);

    /** {@return sequences whose prompts have at least so many tokens} */
    static KvMode from(int promptTokens) {
        return new KvMode(promptTokens);
    }

    /** {@return whether a sequence with a prompt of so many tokens has one} */
    boolean isCached(int promptTokens) {
        return promptTokens >= leastPromptTokens;
    }

    /** {@return the name in results} */
    @Override
    public String toString() {
        return equals(ON)
                ? "on"
                : equals(OFF) ? "off" : String.format(Locale.ROOT, "from prompts of %d tokens on", leastPromptTokens);
    }
}
