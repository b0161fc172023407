package io.github.latencybudget.target.llama;

/**
 * How the blocks of a kernel work on a product, {@code Tile} in {@code decode.cu}.
 *
 * @param warps of a block
 * @param team how many warps share their two rows, a divisor of {@code warps}
 * @param loads how many loads of 16 bytes a lane asks for at once, of each of the two rows
 * @param depth how many times that is asked for ahead, into shared memory; 0 for once, into registers
 * @param blocks how many blocks there are for each of the device's processors
 * @param ahead whether to ask for the whole matrix while the kernel before still works
 */
record Tile(int warps, int team, int loads, int depth, int blocks, boolean ahead) {

    private static final int LOAD_BYTES = 16;
    private static final int WARP = 32;

    /** {@return the threads of a block} */
    int threads() {
        return warps * WARP;
    }

    /** {@return the value of the macro} */
    String macro() {
        return "%d,%d,%d,%d,%d,%d".formatted(warps, team, loads, depth, blocks, ahead ? 1 : 0);
    }

    /** {@return how many blocks there are for so many pairs of rows} */
    int grid(int pairs, int processors) {
        return Math.min(pairs, blocks * processors);
    }

    /** {@return the same tile that asks ahead} */
    Tile asksAhead() {
        return new Tile(warps, team, loads, depth, blocks, true);
    }

    /** {@return the bytes of shared memory that a block needs: x, weights asked for ahead, and the sums of its pairs} */
    int sharedBytes(int columns, int pairs, int processors) {
        int grid = grid(pairs, processors);
        int ring = depth * 2 * loads * threads() * LOAD_BYTES;
        return ring + Float.BYTES * (columns + 2 * team * ((pairs + grid - 1) / grid));
    }
}
