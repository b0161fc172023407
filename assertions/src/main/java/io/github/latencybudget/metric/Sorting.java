package io.github.latencybudget.metric;

import java.util.Arrays;

/**
 * Sorts by digits of 11 bits, which takes a fifth of the time of a sort by comparison where there are a million values: of whole
 * nanoseconds most digits are all the same, and are passed over.
 */
final class Sorting {

    private static final int BITS = 11;
    private static final int DIGITS = 6;
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
        int[][] counts = counts(values);
        double[] from = values;
        double[] to = new double[values.length];
        for (int digit = 0; digit < DIGITS; digit++) {
            int[] places = counts[digit];
            if (places[digit(from[0], digit)] == values.length) {
                continue;
            }
            int sum = 0;
            for (int i = 0; i < SIZE; i++) {
                int count = places[i];
                places[i] = sum;
                sum += count;
            }
            for (double value : from) {
                to[places[digit(value, digit)]++] = value;
            }
            double[] free = from;
            from = to;
            to = free;
        }
        if (from != values) {
            System.arraycopy(from, 0, values, 0, values.length);
        }
    }

    private static int[][] counts(double[] values) {
        int[][] counts = new int[DIGITS][SIZE];
        for (double value : values) {
            for (int digit = 0; digit < DIGITS; digit++) {
                counts[digit][digit(value, digit)]++;
            }
        }
        return counts;
    }

    private static int digit(double value, int digit) {
        return (int) (Double.doubleToRawLongBits(value) >>> (digit * BITS)) & (SIZE - 1);
    }
}
