package io.github.latencybudget.target.llama;

/** What may be chosen freely about own kernels for several sequences. */
record BatchTuning(BatchTile qkv, BatchTile attentionOut, BatchTile gateUp, BatchTile down, BatchTile head) {

    /** Fewer steps ahead leave memory idle, then fewer warps do better. */
    private static final int DEEP_ENOUGH = 3;

    private static final int LEAST_DEPTH = 2;

    /** What a block does best with where there is room, with fewer rows for products that have few. */
    private static final BatchTile MANY_ROWS = new BatchTile(8, 2, 8, 1);

    private static final BatchTile FEW_ROWS = new BatchTile(16, 1, 8, 1);
    private static final BatchTile HEAD = new BatchTile(8, 1, 12, 1);

    /** Room for what the text has in shared memory beside. */
    private static final int OTHER_BYTES = 1 << 10;

    /**
     * {@return the standard for a device}
     *
     * @param bits of a weight of the layers
     * @param sharedBytes how much shared memory the device gives a block
     */
    static BatchTuning of(LlamaConfig config, int bits, int slots, int sharedBytes) {
        int room = sharedBytes - OTHER_BYTES;
        BatchTile wide = within(room, config.hidden(), bits, slots, MANY_ROWS, 3);
        return new BatchTuning(
                wide,
                within(room, config.heads() * config.headDim(), bits, slots, FEW_ROWS, 2),
                wide,
                within(room, config.intermediate(), bits, slots, MANY_ROWS, 2),
                within(room, config.hidden(), Byte.SIZE * Dtype.FP16.bytes(), slots, HEAD, 3));
    }

    /** @param rowTiles where what the matrix is multiplied with comes again with every tile, which more rows save */
    private static BatchTile within(int room, int columns, int bits, int slots, BatchTile best, int rowTiles) {
        for (int least : new int[] {DEEP_ENOUGH, LEAST_DEPTH}) {
            for (int warps = best.warps(); warps > 1; warps /= 2) {
                boolean holds = new BatchTile(warps, best.rowTiles(), least, best.blocks()).holds(columns, bits, slots);
                for (int depth = best.depth(); depth >= least; depth--) {
                    BatchTile tile = new BatchTile(warps, holds ? best.rowTiles() : rowTiles, depth, best.blocks());
                    if (tile.sharedBytes(columns, bits, slots) <= room) {
                        return tile;
                    }
                }
            }
        }
        return new BatchTile(1, 2, LEAST_DEPTH, 1);
    }
}
