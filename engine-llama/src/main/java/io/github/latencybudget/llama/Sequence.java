package io.github.latencybudget.llama;

import java.util.Arrays;
import java.util.function.LongPredicate;

/** One request while it is generated: its tokens so far, and where its keys and values are. For the scheduler's thread. */
final class Sequence {

    private final int slot;
    private final boolean cached;
    private final Draws draws;
    private final int promptTokens;
    private final LongPredicate isLast;
    private final boolean ofFixedLength;
    private final long[] ids;
    private int size;
    private long cacheAddress;

    /**
     * @param slot where the program keeps what belongs to it
     * @param cached whether it has a KV cache; without one, every step takes all its tokens again
     * @param prompt its ids
     */
    Sequence(int slot, boolean cached, long[] prompt, StopCondition stop, Draws draws) {
        this.slot = slot;
        this.cached = cached;
        this.draws = draws;
        this.promptTokens = prompt.length;
        this.isLast = stop.start();
        this.ofFixedLength = !stop.looksAtTokens();
        this.ids = Arrays.copyOf(prompt, prompt.length + stop.outputTokens());
        this.size = prompt.length;
    }

    int slot() {
        return slot;
    }

    boolean isCached() {
        return cached;
    }

    Draws draws() {
        return draws;
    }

    /** {@return how many tokens are known, those of the prompt included} */
    int size() {
        return size;
    }

    int promptTokens() {
        return promptTokens;
    }

    /** {@return the token that came last} */
    long latest() {
        return ids[size - 1];
    }

    /** {@return the bytes that its KV cache takes for one layer} */
    long layerBytes(LlamaConfig config, LlamaOptions options) {
        return config.cacheBytesPerToken(options.dtype()) / config.layers() * ids.length;
    }

    /** {@return where its KV cache is on the device} */
    long cacheAddress(LlamaProgram program) {
        if (cacheAddress == 0) {
            cacheAddress = program.cacheAddress(slot, 0);
        }
        return cacheAddress;
    }

    /** {@return the place of the first token that the next step takes, counted from 0} */
    int start() {
        return cached && size > promptTokens ? size - 1 : 0;
    }

    /** {@return the tokens that the next step takes} */
    long[] next() {
        return Arrays.copyOfRange(ids, start(), size);
    }

    /** {@return whether two more tokens come, whatever the first of them is} */
    boolean hasTwoMore() {
        return ofFixedLength && size + 2 <= ids.length;
    }

    /** {@return the random number that the next token is drawn with} */
    long number() {
        return draws.numbers()[size - promptTokens];
    }

    /** Takes the next output token. {@return whether it is the last} */
    boolean accept(long id) {
        ids[size++] = id;
        return isLast.test(id);
    }
}
