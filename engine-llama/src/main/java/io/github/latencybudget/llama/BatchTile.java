package io.github.latencybudget.llama;

import java.util.Locale;

/**
 * How the blocks of a kernel work on a product for several sequences, {@code Tile} in {@code batch.cu}.
 *
 * @param warps of a block
 * @param rowTiles how many tiles of 16 rows it works on at a time
 * @param depth so many steps have weights in shared memory, all but one still on their way; at least 2
 * @param blocks how many blocks there are for each of the device's processors
 */
record BatchTile(int warps, int rowTiles, int depth, int blocks) {

    /** The registers of a thread that are not for its part of what the matrix is multiplied with, x. */
    static final int OTHER_REGISTERS = 32;

    private static final int MOST_REGISTERS = 255;
    private static final int REGISTERS_OF_PROCESSOR = 1 << 16;

    private static final int ENOUGH_WARPS = 12;
    private static final int LOAD_BYTES = 16;
    private static final int LOAD_BITS = 128;
    private static final int NUMBERS_OF_LOAD = 8;
    private static final int WARP = 32;
    private static final int COLUMNS_OF_TILE = 8;
    private static final int PAIRS_OF_TILE = 8;
    private static final int LANES_OF_ROW = 4;

    int threads() {
        return warps * WARP;
    }

    /** {@return the value of the macro} */
    String macro() {
        return String.format(Locale.ROOT, "%d,%d,%d,%d", warps, rowTiles, depth, blocks);
    }

    /** {@return how many blocks there are for so many pairs of rows} */
    int grid(int pairs, int processors) {
        int tile = PAIRS_OF_TILE * rowTiles;
        return Math.min((pairs + tile - 1) / tile, blocks * processors);
    }

    private int registersForX() {
        return Math.min(MOST_REGISTERS, REGISTERS_OF_PROCESSOR / (blocks * threads())) - OTHER_REGISTERS;
    }

    /**
     * {@return whether what the matrix is multiplied with stays in registers}
     *
     * @param columns of the matrix
     * @param bits of a weight
     */
    boolean holds(int columns, int bits, int slots) {
        return steps(columns, bits) * columnLoads(bits, slots) * (LOAD_BYTES / Integer.BYTES) <= registersForX();
    }

    /**
     * {@return whether the product makes the norm before it, for which there has to be room in fp32}
     *
     * <p>Beside weights of 16 bits, few warps took longer for that than a kernel of its own.
     */
    boolean normalizes(int columns, int bits, int slots) {
        return slots == COLUMNS_OF_TILE
                && (bits <= Byte.SIZE || warps >= ENOUGH_WARPS)
                && steps(columns, bits) * columnLoads(bits, slots) * NUMBERS_OF_LOAD <= registersForX();
    }

    private int steps(int columns, int bits) {
        int loads = columns * bits / LOAD_BITS;
        return (loads + LANES_OF_ROW * warps - 1) / (LANES_OF_ROW * warps);
    }

    /** How many loads of x meet one load of weights. */
    private static int columnLoads(int bits, int slots) {
        return slots / COLUMNS_OF_TILE * (LOAD_BITS / bits / NUMBERS_OF_LOAD);
    }

    /** {@return the bytes of shared memory that a block needs} */
    int sharedBytes(int columns, int bits, int slots) {
        int rows = 2 * rowTiles;
        int loads = rows + (holds(columns, bits, slots) ? 0 : columnLoads(bits, slots));
        boolean grouped = bits == Quantization.INT4.bits();
        // shared by the four lanes of a row
        int scales = grouped ? rows * Integer.BYTES / LANES_OF_ROW : 0;
        int columnTiles = slots / COLUMNS_OF_TILE;
        int sums = 2 * rowTiles * 2 * columnTiles * 2 * Float.BYTES;
        // of two columns, alike for all pairs
        int start = columnTiles * 2 * Float.BYTES / PAIRS_OF_TILE;
        int starts =
                holds(columns, bits, slots) && bits <= Byte.SIZE ? start * (grouped ? steps(columns, bits) : 1) : 0;
        return threads() * (depth * (loads * LOAD_BYTES + scales) + sums + starts);
    }
}
