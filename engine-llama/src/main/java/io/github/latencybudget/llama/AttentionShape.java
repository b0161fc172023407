package io.github.latencybudget.llama;

import java.util.List;

/**
 * What all sets of kernels have in common: the start of a step and attention.
 *
 * @param processors how many multiprocessors the device has
 * @param slots for how many sequences products are made
 * @param sequences how many there may be
 */
record AttentionShape(LlamaConfig config, int processors, int slots, int sequences) {

    /** Sequences in one launch, at most. */
    static final int MOST_SLOTS = 64;

    private static final int WARP = 32;
    private static final int ENTER_THREADS = 512;
    private static final int PLACES = 4;
    private static final int MOST_QUERIES = 8;
    private static final int MOST_SPLITS = 32;

    /** So many warps of attention are busy on a multiprocessor. */
    private static final int BUSY_WARPS = 16;

    AttentionShape(LlamaConfig config, int processors, int sequences) {
        this(config, processors, sequences, sequences);
    }

    Kernel enter() {
        return new Kernel("enter", sequences, ENTER_THREADS, 0);
    }

    Kernel attention() {
        return new Kernel("attention", queryGroups(), shares(), 1, warps() * WARP, 0);
    }

    /** Larger blocks where there are many of them: they need not put parts together. */
    private int warps() {
        return sequences == 1 ? 4 : 8;
    }

    /** {@return how many queries that share their keys one block of attention takes} */
    private int queries() {
        int group = config.heads() / config.kvHeads();
        return Math.min(MOST_QUERIES, Integer.lowestOneBit(group));
    }

    /** {@return how many blocks attention has for each part of the places of a sequence} */
    int queryGroups() {
        return config.heads() / queries();
    }

    /** Blocks for all sequences together, for each group of queries. */
    private int shares() {
        return Math.max(sequences, Math.min(MOST_SPLITS, BUSY_WARPS / warps() * processors / queryGroups()));
    }

    /** {@return how many numbers attention leaves for putting its parts together} */
    long partials() {
        return (long) config.heads() * shares() * (config.headDim() + 2);
    }

    void addMacros(List<String> macros, Dtype dtype) {
        // the names of the types are macros too, in primitives.cu
        macros.add("-DWEIGHT=" + dtype);
        macros.add("-DSLOTS=" + slots);
        macros.add("-DMOST_SLOTS=" + MOST_SLOTS);
        macros.add("-DHIDDEN=" + config.hidden());
        macros.add("-DINTERMEDIATE=" + config.intermediate());
        macros.add("-DHEADS=" + config.heads());
        macros.add("-DKV_HEADS=" + config.kvHeads());
        macros.add("-DHEAD_DIM=" + config.headDim());
        macros.add("-DVOCABULARY=" + config.vocabulary());
        macros.add("-DEPSILON=" + config.epsilon());
        // scores are powers of two
        macros.add("-DSCORE_SCALE=" + 1 / (Math.log(2) * Math.sqrt(config.headDim())));
        macros.add("-DSHARES=" + shares());
        macros.add("-DSPLITS=" + Math.min(MOST_SPLITS, shares()));
        // places that are not worth a block
        macros.add("-DLEAST_ROUNDS=" + (sequences == 1 ? 1 : 2));
        macros.add("-DQUERIES=" + queries());
        macros.add("-DATTENTION_WARPS=" + warps());
        macros.add("-DPLACES=" + PLACES);
    }
}
