package io.github.latencybudget.baseline;

import java.util.Locale;

/**
 * How many of the pairs of two samples can lie on one side by chance, where both are of the same distribution (Mann and Whitney
 * 1947). The ordered pairs between two such ranks are an interval for the shift (Hollander and Wolfe, <i>Nonparametric Statistical
 * Methods</i>).
 *
 * @param first how many independent values one sample has
 * @param second how many the other
 */
record MannWhitney(int first, int second) {

    /** With more pairs the normal approximation is good to a fraction of a rank. */
    private static final int MOST_EXACT = 2500;

    /** What is as probable as alpha must not be lost by the last bits of a sum. */
    private static final double ROUNDING = 1 + 1e-12;

    /**
     * {@return the rank from either end, from 1, of the pair that bounds the shift on one side; 0 where the samples are too small
     * for a bound}
     *
     * @param alpha the probability that the shift lies beyond it
     */
    long rank(double alpha) {
        return (long) first * second <= MOST_EXACT ? exact(alpha) : Math.max(0, approximate(alpha));
    }

    private long exact(double alpha) {
        double[] probabilities = distribution();
        double sum = 0;
        for (int u = 0; u < probabilities.length; u++) {
            sum += probabilities[u];
            if (sum > alpha * ROUNDING) {
                return u;
            }
        }
        throw new IllegalStateException(String.format(Locale.ROOT, "alpha = %s is no probability", alpha));
    }

    /**
     * The probability of each number of pairs. Whether the largest of all values is of the first sample or of the second gives the
     * numbers for samples that are smaller by one.
     */
    private double[] distribution() {
        double[][] ofSecond = new double[second + 1][];
        for (int n = 0; n <= first; n++) {
            for (int m = 0; m <= second; m++) {
                double[] next = new double[n * m + 1];
                if (n == 0 || m == 0) {
                    next[0] = 1;
                } else {
                    // Still of n - 1 values of the first sample: it is replaced below.
                    double[] withoutFirst = ofSecond[m];
                    double[] withoutSecond = ofSecond[m - 1];
                    double share = n / (double) (n + m);
                    for (int u = 0; u < next.length; u++) {
                        double largestIsFirst = u >= m && u - m < withoutFirst.length ? withoutFirst[u - m] : 0;
                        double largestIsSecond = u < withoutSecond.length ? withoutSecond[u] : 0;
                        next[u] = share * largestIsFirst + (1 - share) * largestIsSecond;
                    }
                }
                ofSecond[m] = next;
            }
        }
        return ofSecond[second];
    }

    private long approximate(double alpha) {
        double pairs = (double) first * second;
        double deviation = Math.sqrt(pairs * (first + second + 1) / 12);
        return (long) Math.floor(pairs / 2 + 0.5 - upperQuantile(alpha) * deviation);
    }

    /** Of the normal distribution, to 4.5e-4 and never below it: Abramowitz and Stegun 26.2.23. */
    private static double upperQuantile(double alpha) {
        double t = Math.sqrt(-2 * Math.log(alpha));
        double above = 2.515517 + t * (0.802853 + t * 0.010328);
        double below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
        return t - above / below + 4.5e-4;
    }
}
