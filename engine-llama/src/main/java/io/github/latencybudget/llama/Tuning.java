package io.github.latencybudget.llama;

/**
 * What may be chosen freely about own kernels. The standard did best on an H200, see ADR 6.
 *
 * @param spin whether the host watches the memory that the token is written to, instead of waiting for the stream
 */
record Tuning(Tile qkv, Tile attentionOut, Tile gateUp, Tile down, Tile head, boolean spin) {

    private static final Tile WIDE = new Tile(8, 2, 1, 8, 1);
    private static final Tile LONG = new Tile(16, 1, 1, 8, 1);

    /** Room for the sums of a block beside x and the weights. */
    private static final int SUMS_BYTES = 8 << 10;

    /**
     * {@return the standard, with tiles that ask less far ahead where a block gets too little shared memory}
     *
     * @param sharedBytes how much shared memory the device gives a block
     */
    static Tuning of(LlamaConfig config, int sharedBytes) {
        int room = sharedBytes - SUMS_BYTES;
        Tile wide = within(room, WIDE, config.hidden());
        return new Tuning(
                wide,
                within(room, WIDE, config.heads() * config.headDim()),
                wide,
                within(room, LONG, config.intermediate()),
                wide,
                true);
    }

    private static Tile within(int room, Tile tile, int columns) {
        Tile fitting = tile;
        while (fitting.depth() > 1 && fitting.sharedBytes(columns) > room) {
            fitting = fitting.halfAsDeep();
        }
        return fitting;
    }
}
