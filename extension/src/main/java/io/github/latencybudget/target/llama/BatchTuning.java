package io.github.latencybudget.target.llama;

import java.util.Optional;
import java.util.stream.IntStream;

/** What may be chosen freely about own kernels for several sequences. */
record BatchTuning(BatchTile qkv, BatchTile attentionOut, BatchTile gateUp, BatchTile down, BatchTile head) {

    private static final int MOST_WARPS = 16;
    private static final int DEEPEST = 8;

    /** Fewer steps ahead leave memory idle, then fewer warps do better. */
    private static final int DEEP_ENOUGH = 4;

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
        BatchTile wide = within(room, config.hidden(), bits, slots);
        return new BatchTuning(
                wide,
                within(room, config.heads() * config.headDim(), bits, slots),
                wide,
                within(room, config.intermediate(), bits, slots),
                within(room, config.hidden(), Byte.SIZE * Dtype.FP16.bytes(), slots));
    }

    private static BatchTile within(int room, int columns, int bits, int slots) {
        for (int warps = MOST_WARPS; warps > 1; warps /= 2) {
            Optional<BatchTile> deep = within(room, columns, bits, slots, warps, DEEP_ENOUGH);
            if (deep.isPresent()) {
                return deep.orElseThrow();
            }
        }
        return within(room, columns, bits, slots, 2, 2).orElse(new BatchTile(1, 2, 2));
    }

    private static Optional<BatchTile> within(int room, int columns, int bits, int slots, int warps, int least) {
        // where x comes again with every tile, larger ones save half of that
        int rowTiles = new BatchTile(warps, 1, least).holds(columns, bits, slots) ? 1 : 2;
        return IntStream.iterate(DEEPEST, depth -> depth >= least, depth -> depth - 1)
                .mapToObj(depth -> new BatchTile(warps, rowTiles, depth))
                .filter(tile -> tile.sharedBytes(columns, bits, slots) <= room)
                .findFirst();
    }
}
