package io.github.latencybudget.llama;

import java.util.Map;

/** What may be chosen freely about own kernels for several sequences. */
record BatchTuning(BatchTile qkv, BatchTile attentionOut, BatchTile gateUp, BatchTile down, BatchTile head) {

    /** Fewer steps ahead leave memory idle, then fewer warps do better. */
    private static final int DEEP_ENOUGH = 4;

    private static final int LEAST_DEPTH = 2;

    private static final int SMALLEST_BUCKET = 8;

    /** Weights of 16 bits in blocks of 16 warps. */
    private static final BatchTuning WHOLE = all(new BatchTile(16, 1, 8, 1));

    /** Of quantised weights, with fewer rows for products that have few. */
    private static final BatchTuning PACKED = new BatchTuning(
            new BatchTile(8, 2, 8, 1),
            new BatchTile(16, 1, 8, 1),
            new BatchTile(8, 2, 8, 1),
            new BatchTile(8, 2, 8, 1),
            new BatchTile(8, 1, 12, 1));

    /**
     * By the bits of a weight, for up to 8 sequences. Those for 16 bits are the ones with which a whole step of the 7B shape was
     * quickest on an H200, as {@code BatchTuner} of the tests looks for them: tiles that are quicker for each kernel by itself can
     * make a step slower, 4.62 ms instead of 4.25 with 4 sequences.
     */
    private static final Map<Integer, BatchTuning> FOR_FEW = Map.of(
            16,
                    new BatchTuning(
                            new BatchTile(12, 1, 8, 1),
                            new BatchTile(16, 1, 8, 1),
                            new BatchTile(12, 1, 8, 1),
                            new BatchTile(8, 2, 4, 2),
                            new BatchTile(16, 1, 8, 1)),
            8,
                    new BatchTuning(
                            new BatchTile(12, 1, 8, 1),
                            new BatchTile(8, 1, 12, 2),
                            new BatchTile(12, 1, 8, 1),
                            new BatchTile(16, 1, 8, 1),
                            new BatchTile(12, 1, 8, 1)),
            4,
                    new BatchTuning(
                            new BatchTile(8, 2, 8, 1),
                            new BatchTile(8, 2, 5, 2),
                            new BatchTile(8, 2, 8, 1),
                            new BatchTile(8, 2, 8, 1),
                            new BatchTile(12, 1, 8, 1)));

    /** For one sequence, by the bits of a weight, where it has other ones than a few: found in the same way. */
    private static final Map<Integer, BatchTuning> FOR_ONE = Map.of(
            4,
            new BatchTuning(
                    new BatchTile(8, 3, 4, 1),
                    new BatchTile(8, 2, 3, 2),
                    new BatchTile(8, 3, 6, 1),
                    new BatchTile(8, 2, 4, 1),
                    new BatchTile(12, 1, 8, 1)));

    private static BatchTuning all(BatchTile tile) {
        return new BatchTuning(tile, tile, tile, tile, tile);
    }

    /** Room for what the text has in shared memory beside. */
    private static final int OTHER_BYTES = 1 << 10;

    /**
     * {@return the standard for a device}
     *
     * @param bits of a weight of the layers
     * @param slots for how many sequences products are made
     * @param sequences how many there are at most
     * @param sharedBytes how much shared memory the device gives a block
     */
    static BatchTuning of(LlamaConfig config, int bits, int slots, int sequences, int sharedBytes) {
        BatchTuning ofAll = bits > Byte.SIZE ? WHOLE : PACKED;
        BatchTuning few = slots == SMALLEST_BUCKET ? FOR_FEW.getOrDefault(bits, ofAll) : ofAll;
        BatchTuning best = sequences == 1 ? FOR_ONE.getOrDefault(bits, few) : few;
        return new BatchTuning(
                within(sharedBytes, config.hidden(), bits, slots, best.qkv),
                within(sharedBytes, config.heads() * config.headDim(), bits, slots, best.attentionOut),
                within(sharedBytes, config.hidden(), bits, slots, best.gateUp),
                within(sharedBytes, config.intermediate(), bits, slots, best.down),
                within(sharedBytes, config.hidden(), Byte.SIZE * Dtype.FP16.bytes(), slots, best.head));
    }

    private static BatchTile within(int sharedBytes, int columns, int bits, int slots, BatchTile best) {
        int room = sharedBytes / best.blocks() - OTHER_BYTES;
        for (int least : new int[] {DEEP_ENOUGH, LEAST_DEPTH}) {
            for (int warps = best.warps(); warps > 1; warps /= 2) {
                // where what the matrix is multiplied with comes again with every tile, more rows save half of that
                boolean holds = new BatchTile(warps, best.rowTiles(), least, best.blocks()).holds(columns, bits, slots);
                int rowTiles = holds ? best.rowTiles() : 2;
                for (int depth = best.depth(); depth >= least; depth--) {
                    BatchTile tile = new BatchTile(warps, rowTiles, depth, best.blocks());
                    if (tile.sharedBytes(columns, bits, slots) <= room) {
                        return tile;
                    }
                }
            }
        }
        return new BatchTile(1, 2, LEAST_DEPTH, 1);
    }
}
