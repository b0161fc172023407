package io.github.latencybudget.target.llama;

/**
 * How the matrices of the layers are stored; embedding and head stay as they are. Quantised ones have scales in fp16.
 * {@link #INT8}: rows of unsigned bytes, a weight is (byte - 128) times the scale of its row. {@link #INT4}: rows of words of 32
 * bits with 8 weights each, the bits 4p to 4p + 3 for weight 0, 2, 4, 6, 1, 3, 5, 7 of them (p from 0 to 7); a weight is (bits - 8)
 * times the scale of its {@link #GROUP}, [rows][columns / GROUP].
 */
enum Quantization {
    NONE,
    INT8,
    INT4;

    /** How many neighbouring weights of a row share a scale in 4 bits: a multiple of what one load of 16 bytes has. */
    static final int GROUP = 64;

    /** {@return the bits of a weight of the layers} */
    int bits(Dtype dtype) {
        return switch (this) {
            case NONE -> Byte.SIZE * dtype.bytes();
            case INT8 -> 8;
            case INT4 -> 4;
        };
    }
}
