package io.github.latencybudget.baseline;

import java.util.Arrays;

/**
 * The ratios of all pairs of a run's value and a baseline's. Their median is the estimate of Hodges and Lehmann (1963) of the
 * factor between the two, on the logarithms of the values. No list of pairs is made: of sorted values the ratios up to a bound
 * are counted in one pass, and the ratio at a rank is found by halving.
 */
final class Pairs {

    private final double[] baseline;
    private final double[] run;

    /** @param baseline the values of one side, each above 0; copied */
    Pairs(double[] baseline, double[] run) {
        this.baseline = sorted(baseline);
        this.run = sorted(run);
    }

    private static double[] sorted(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    long size() {
        return (long) baseline.length * run.length;
    }

    /** {@return the median: of an even number of pairs the geometric mean of the middle two} */
    double median() {
        long below = (size() + 1) / 2;
        double lower = atRank(below);
        return size() % 2 == 1 ? lower : Math.sqrt(lower * atRank(below + 1));
    }

    /**
     * {@return the ratio at a rank, in ascending order}
     *
     * @param rank from 1 to {@link #size()}
     */
    double atRank(long rank) {
        // The bits of positive doubles are in the order of the numbers, so halving them ends at the ratio itself.
        long low = Double.doubleToLongBits(run[0] / baseline[baseline.length - 1]);
        long high = Double.doubleToLongBits(run[run.length - 1] / baseline[0]);
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (countUpTo(Double.longBitsToDouble(middle)) >= rank) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return Double.longBitsToDouble(low);
    }

    private long countUpTo(double ratio) {
        long count = 0;
        int first = 0;
        for (double value : run) {
            // The larger the run's value, the larger the baseline's has to be.
            while (first < baseline.length && value / baseline[first] > ratio) {
                first++;
            }
            count += baseline.length - first;
        }
        return count;
    }
}
