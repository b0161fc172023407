package io.github.latencybudget.budget;

import java.util.OptionalDouble;

/**
 * Between what shares the change from the median of one third to that of the other lies.
 *
 * @param down the change is at least this share of the first median, which is below 0 where it may have become faster
 * @param up the change is at most this share
 */
record DriftInterval(double down, double up) {

    /**
     * Empty bounds where the samples are too few, or where the first third has times of nothing.
     *
     * @param first in ascending order, as {@code last}
     */
    static DriftInterval of(double[] first, double[] last, MedianRanks ranks) {
        if (!ranks.exist() || first[ranks.lower() - 1] <= 0) {
            return new DriftInterval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        double leastFirst = first[ranks.lower() - 1];
        double mostFirst = first[ranks.upper() - 1];
        return new DriftInterval(
                (last[ranks.lower() - 1] - mostFirst) / mostFirst, (last[ranks.upper() - 1] - leastFirst) / leastFirst);
    }

    /** {@return the largest change, in either direction, that it has room for; infinite where there is none} */
    double most() {
        return Math.max(up, -down);
    }

    /** {@return the smallest change, in either direction, that it has room for} */
    double least() {
        return Math.max(0, Math.max(down, -up));
    }

    boolean isBounded() {
        return most() < Double.POSITIVE_INFINITY;
    }

    OptionalDouble lower() {
        return isBounded() ? OptionalDouble.of(least()) : OptionalDouble.empty();
    }

    OptionalDouble upper() {
        return isBounded() ? OptionalDouble.of(most()) : OptionalDouble.empty();
    }
}
