package io.github.latencybudget.target.llama;

import java.util.Map;

/** What may be chosen freely about own kernels for several sequences. */
record BatchTuning(BatchTile qkv, BatchTile attentionOut, BatchTile gateUp, BatchTile down, BatchTile head) {

    /** Fewer steps ahead leave memory idle, then fewer warps do better. */
    private static final int DEEP_ENOUGH = 3;

    private static final int LEAST_DEPTH = 2;

    /** What a block does best with where there is room, with fewer rows for products that have few. */
    private static final BatchTuning STANDARD = new BatchTuning(
            new BatchTile(8, 2, 8, 1),
            new BatchTile(16, 1, 8, 1),
            new BatchTile(8, 2, 8, 1),
            new BatchTile(8, 2, 8, 1),
            new BatchTile(8, 1, 12, 1));

    private static final int SMALLEST_BUCKET = 8;

    /** What did best of some tiles on an H200, by the bits of a weight, for up to 8 sequences of the 7B shape. */
    private static final Map<Integer, BatchTuning> MEASURED = Map.of(
            16,
                    new BatchTuning(
                            new BatchTile(8, 2, 8, 1),
                            new BatchTile(16, 1, 8, 1),
                            new BatchTile(8, 2, 8, 1),
                            new BatchTile(8, 2, 4, 2),
                            new BatchTile(8, 1, 12, 1)),
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

    /** Room for what the text has in shared memory beside. */
    private static final int OTHER_BYTES = 1 << 10;

    /**
     * {@return the standard for a device}
     *
     * @param bits of a weight of the layers
     * @param sharedBytes how much shared memory the device gives a block
     */
    static BatchTuning of(LlamaConfig config, int bits, int slots, int sharedBytes) {
        BatchTuning best = slots == SMALLEST_BUCKET ? MEASURED.getOrDefault(bits, STANDARD) : STANDARD;
        return new BatchTuning(
                within(sharedBytes, config.hidden(), bits, slots, best.qkv, 3),
                within(sharedBytes, config.heads() * config.headDim(), bits, slots, best.attentionOut, 2),
                within(sharedBytes, config.hidden(), bits, slots, best.gateUp, 3),
                within(sharedBytes, config.intermediate(), bits, slots, best.down, 2),
                within(sharedBytes, config.hidden(), Byte.SIZE * Dtype.FP16.bytes(), slots, best.head, 3));
    }

    /** @param rowTiles where what the matrix is multiplied with comes again with every tile, which more rows save */
    private static BatchTile within(int sharedBytes, int columns, int bits, int slots, BatchTile best, int rowTiles) {
        int room = sharedBytes / best.blocks() - OTHER_BYTES;
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
