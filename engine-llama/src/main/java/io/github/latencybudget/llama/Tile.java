package io.github.latencybudget.llama;

import java.util.Locale;

/**
 * How the blocks of a kernel work on a product, {@code Tile} in {@code gemv.cu}.
 *
 * @param warps of a block
 * @param team how many warps share their two rows, a divisor of {@code warps}
 * @param loads how many loads of 16 bytes a lane asks for at once, of each of the two rows
 * @param depth how many times that is asked for ahead, into shared memory; at least once
 * @param blocks how many blocks there are for each of the device's processors
 */
record Tile(int warps, int team, int loads, int depth, int blocks) {

    private static final int LOAD_BYTES = 16;
    private static final int WARP = 32;

    /** {@return the threads of a block} */
    int threads() {
        return warps * WARP;
    }

    /** {@return the value of the macro} */
    String macro() {
        return String.format(Locale.ROOT, "%d,%d,%d,%d,%d", warps, team, loads, depth, blocks);
    }

    /** {@return how many blocks there are for so many pairs of rows} */
    int grid(int pairs, int processors) {
        return Math.min(pairs, blocks * processors);
    }

    /** {@return the same tile that asks half as far ahead} */
    Tile halfAsDeep() {
        return new Tile(warps, team, loads, depth / 2, blocks);
    }

    /** {@return the bytes of shared memory that a block needs for x and weights asked for ahead} */
    int sharedBytes(int columns) {
        return depth * 2 * loads * threads() * LOAD_BYTES + Float.BYTES * columns;
    }

    /** {@return the bytes that a block needs for the sums of its pairs too} */
    int sharedBytes(int columns, int pairs, int processors) {
        int grid = grid(pairs, processors);
        return sharedBytes(columns) + Float.BYTES * 2 * team * ((pairs + grid - 1) / grid);
    }
}
