package io.github.latencybudget.target.llama;

/**
 * What may be chosen freely about own kernels.
 *
 * @param overlap whether a kernel may start while the one before still works (programmatic dependent launch)
 * @param spin whether the host watches the memory that the token is written to, instead of waiting for the stream
 */
record Tuning(Tile qkv, Tile attentionOut, Tile gateUp, Tile down, Tile head, boolean overlap, boolean spin) {

    /** The first compute capability with programmatic dependent launch. */
    private static final int OVERLAPPING = 90;

    /** So much shared memory of a block is enough for a ring of weights beside the longest x. */
    private static final int MUCH_SHARED_MEMORY = 200 << 10;

    /**
     * {@return what does well}
     *
     * @param capability the device's compute capability, such as 90 for 9.0
     * @param sharedBytes how much shared memory it gives a block
     */
    static Tuning of(int capability, int sharedBytes) {
        Tile tile =
                sharedBytes >= MUCH_SHARED_MEMORY ? new Tile(16, 1, 1, 4, 1, false) : new Tile(16, 1, 2, 0, 1, false);
        return new Tuning(tile, tile.asksAhead(), tile, tile, tile, capability >= OVERLAPPING, true);
    }
}
