package io.github.latencybudget.llama;

import java.util.Set;
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
record StopCondition(int outputTokens, boolean ignoreEos, Set<Integer> eos, Supplier<LongPredicate> stop) {

    /** Without stop strings. */
    StopCondition(int outputTokens, boolean ignoreEos, Set<Integer> eos) {
        this(outputTokens, ignoreEos, eos, () -> id -> false);
    }

    /** {@return whether the tokens themselves can end an output before it has its length} */
    boolean looksAtTokens() {
        return !ignoreEos;
    }

    /** {@return the same, for an output of which every token is looked at before the next step is begun} */
    StopCondition lookingAtTokens() {
        return ignoreEos ? new StopCondition(outputTokens, false, Set.of()) : this;
    }

    /** {@return what takes each id of one output, in order, and says whether it is the last} */
    LongPredicate start() {
        LongPredicate stops = stop.get();
        int[] tokens = {0};
        return id -> {
            tokens[0]++;
            return tokens[0] >= outputTokens || !ignoreEos && (eos.contains((int) id) || stops.test(id));
        };
    }
}
