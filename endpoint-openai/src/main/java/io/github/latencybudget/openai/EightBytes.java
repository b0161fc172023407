package io.github.latencybudget.openai;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Looks at eight bytes at once for some that end what is looked through (the bit tricks of Warren, <i>Hacker's Delight</i>, section
 * 6-1). May stop before bytes that do not, and never passes one that does.
 */
final class EightBytes {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private EightBytes() {}

    /** {@return from where on to look byte by byte for the end of a line} */
    static int withoutLineEnd(byte[] bytes, int from, int to) {
        int i = from;
        while (i <= to - Long.BYTES) {
            long eight = (long) LONG.get(bytes, i);
            if ((zeros(eight ^ ONES * '\n') | zeros(eight ^ ONES * '\r')) != 0) {
                break;
            }
            i += Long.BYTES;
        }
        return i;
    }

    /** {@return from where on to look byte by byte for the end of what a string of JSON holds as it is} */
    static int plainAscii(byte[] bytes, int from, int to) {
        int i = from;
        while (i <= to - Long.BYTES) {
            long eight = (long) LONG.get(bytes, i);
            long controls = eight - ONES * ' ';
            if (((controls | eight) & HIGH_BITS | zeros(eight ^ ONES * '"') | zeros(eight ^ ONES * '\\')) != 0) {
                break;
            }
            i += Long.BYTES;
        }
        return i;
    }

    /** {@return not 0 where one of the bytes is 0} */
    private static long zeros(long eight) {
        return eight - ONES & ~eight & HIGH_BITS;
    }
}
