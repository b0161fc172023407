package io.github.latencybudget.metric;

import java.util.Arrays;

/**
 * Sorts by digits of 11 bits, which takes a fifth of the time of a sort by comparison where there are a million values: of times
 * in nanoseconds most digits are all the same, and are passed over.
 */
final class Sorting {

    private static final int BITS = 11;
    private static final int SIZE = 1 << BITS;
    /** Of fewer it takes longer to count. */
    private static final int LEAST = 1 << 14;

    private Sorting() {}

    static void sort(double[] values) {
        // The bits of a double are in its order only from 0.0 on.
        if (values.length < LEAST || Arrays.stream(values).anyMatch(v -> !(v > 0))) {
            Arrays.sort(values);
            return;
        }
        long[] keys = new long[values.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Double.doubleToRawLongBits(values[i]);
        }
        keys = sorted(keys, 0);
        for (int i = 0; i < keys.length; i++) {
            values[i] = Double.longBitsToDouble(keys[i]);
        }
    }

    /**
     * {@return the keys in ascending order; those that are the same from a bit on stay in their order}
     *
     * @param keys from 0 on, and in ascending order by the bits below that one; not to be used any more
     */
    static long[] sorted(long[] keys, int fromBit) {
        if (keys.length < LEAST) {
            Arrays.sort(keys);
            return keys;
        }
        long differing = 0;
        for (long key : keys) {
            differing |= key ^ keys[0];
        }
        long[] from = keys;
        long[] to = new long[keys.length];
        int[] places = new int[SIZE];
        for (int shift = fromBit; shift < Long.SIZE && differing >>> shift != 0; shift += BITS) {
            if ((differing >>> shift & SIZE - 1) == 0) {
                continue;
            }
            Arrays.fill(places, 0);
            for (long key : from) {
                places[digit(key, shift)]++;
            }
            int sum = 0;
            for (int i = 0; i < SIZE; i++) {
                int count = places[i];
                places[i] = sum;
                sum += count;
            }
            for (long key : from) {
                to[places[digit(key, shift)]++] = key;
            }
            long[] free = from;
            from = to;
            to = free;
        }
        return from;
    }

    private static int digit(long key, int shift) {
        return (int) (key >>> shift) & (SIZE - 1);
    }
}
