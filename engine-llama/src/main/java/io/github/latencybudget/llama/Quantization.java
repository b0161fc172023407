package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;

/**
 * How the matrices of a model's layers are kept: as they are, or as whole numbers with a scale in fp16 for each group of a row.
 * Embedding, norms and output matrix are never quantised. {@link #INT8}: rows of unsigned bytes, a weight is (byte - 128) times
 * the scale of its row. {@link #INT4}: rows of words of 32 bits with 8 weights each, the bits 4p to 4p + 3 for weight 0, 2, 4, 6,
 * 1, 3, 5, 7 of them (p from 0 to 7); a weight is (bits - 8) times the scale of its group, [rows][columns / group].
 */
enum Quantization {
    NONE("", 0, 0),
    /** One scale for a row. */
    INT8("int8", 8, 0),
    /** One scale for 128 weights, or for fewer where the rows of a small model do not divide into so many. */
    INT4("int4", 4, 128);

    /** Four-bit weights are packed by eight. */
    private static final int LEAST_GROUP = 8;

    /** How many neighbouring weights of a row share a scale in 4 bits: what four lanes of a warp load of a row at a time. */
    static final int GROUP = 128;

    private static final int SCALE_BYTES = 2;

    private final String label;
    private final int bits;
    private final int group;

    Quantization(String label, int bits, int group) {
        this.label = label;
        this.bits = bits;
        this.group = group;
    }

    /** {@return the name in results} */
    String label() {
        return label;
    }

    /** {@return the bits of a weight of the layers} */
    int bits(Dtype dtype) {
        return this == NONE ? Byte.SIZE * dtype.bytes() : bits;
    }

    /** {@return the bits of a weight, 0 where it is not quantised} */
    int bits() {
        return bits;
    }

    /** {@return how many weights of a row of so many share a scale} */
    int groupOf(int columns) {
        if (group == 0) {
            return columns;
        }
        int fitting = group;
        while (fitting > LEAST_GROUP && columns % fitting != 0) {
            fitting /= 2;
        }
        return fitting;
    }

    /** @throws MeasurementException for a model whose rows do not divide into groups: names them */
    void check(LlamaConfig config) {
        for (Matrix matrix : Matrix.of(config)) {
            if (group > 0 && matrix.inLayer() && !matrix.norm() && matrix.columns() % LEAST_GROUP != 0) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "dtype = %s keeps weights by eight, and the rows of %s have %d: use int8",
                        label,
                        matrix.parts().get(0).tensor(),
                        matrix.columns()));
            }
        }
    }

    /** {@return the bytes that a matrix takes in the type {@code dtype}, its scales included} */
    long bytes(long rows, int columns, Dtype dtype) {
        return this == NONE
                ? rows * columns * dtype.bytes()
                : rows * columns * bits / Byte.SIZE + rows * (columns / groupOf(columns)) * SCALE_BYTES;
    }

    /**
     * {@return what it does to weights, in words}
     *
     * @param error the root mean square of what it lost, over that of the weights
     */
    String description(double error) {
        return String.format(
                Locale.ROOT,
                "%s for the matrices of the layers, one scale in fp16 for %s, relative error of these weights %.4f",
                label,
                group == 0 ? "a row" : "at most " + group + " weights",
                error);
    }
}
