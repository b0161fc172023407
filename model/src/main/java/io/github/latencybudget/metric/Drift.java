package io.github.latencybudget.metric;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apiguardian.api.API;

/**
 * How far the last third of a series of requests lies from its first.
 *
 * <p>The probability is that of the rank-sum test (H. B. Mann and D. R. Whitney, <i>On a test of whether one of two random
 * variables is stochastically larger than the other</i>, 1947), by its normal approximation with ties, so that no outlier makes a
 * drift. Its variance is made larger by {@code (1 + r) / (1 - r)}, with {@code r} the correlation of successive ranks about a
 * straight line within each third: requests that resemble their neighbours say less than as many independent ones.
 *
 * @param requestsPerThird how many requests each third has
 * @param firstMedian the median of the first third
 * @param lastMedian the median of the last third
 * @param pValue how probable so clear a difference would be if nothing changed, in either direction
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Drift(int requestsPerThird, double firstMedian, double lastMedian, double pValue) {

    /** How many requests it takes; with fewer in a third, no difference would be clear enough. */
    public static final int LEAST_REQUESTS = 24;

    private static final double MOST_CORRELATION = 0.98;

    /**
     * {@return the drift of a series; empty for fewer requests than {@link #LEAST_REQUESTS}}
     *
     * @param values one per request, in the order of their start; none of them NaN
     */
    public static Optional<Drift> of(double[] values) {
        if (values.length < LEAST_REQUESTS) {
            return Optional.empty();
        }
        int third = values.length / 3;
        double[] first = Arrays.copyOfRange(values, 0, third);
        double[] last = Arrays.copyOfRange(values, values.length - third, values.length);
        return Optional.of(new Drift(third, median(first), median(last), pValue(first, last)));
    }

    /** {@return the difference of the medians, last less first, in the unit of the values} */
    public double shift() {
        return lastMedian - firstMedian;
    }

    /** {@return whether the medians lie further apart than this share of the first} */
    public boolean isMoreThan(double share) {
        return Math.abs(shift()) > share * Math.abs(firstMedian);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[Percentile.P50.rank(sorted.length) - 1];
    }

    private static double pValue(double[] first, double[] last) {
        int m = first.length;
        double[] both = Arrays.copyOf(first, 2 * m);
        System.arraycopy(last, 0, both, m, m);
        double[] ranks = new double[2 * m];
        double ties = rank(both, ranks);
        double variance = m * (double) m / 12 * (2 * m + 1 - ties / (2.0 * m * (2 * m - 1)));
        if (variance <= 0) {
            return 1;
        }
        double u = Arrays.stream(ranks, m, 2 * m).sum() - m * (m + 1) / 2.0;
        double correlation = Math.min(MOST_CORRELATION, Math.max(0, correlation(ranks, m)));
        double z =
                (Math.abs(u - m * (double) m / 2) - 0.5) / Math.sqrt(variance * (1 + correlation) / (1 - correlation));
        return Math.min(1, 2 * upperTail(Math.max(0, z)));
    }

    /** Ranks from 1, equal values at the mean of theirs; returns the sum of t^3 - t over the groups of t equal ones. */
    private static double rank(double[] values, double[] ranks) {
        int[] order = IntStream.range(0, values.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> values[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        double ties = 0;
        for (int from = 0; from < order.length; ) {
            int to = from + 1;
            while (to < order.length && values[order[to]] == values[order[from]]) {
                to++;
            }
            for (int i = from; i < to; i++) {
                ranks[order[i]] = (from + 1 + to) / 2.0;
            }
            double equal = to - from;
            ties += equal * equal * equal - equal;
            from = to;
        }
        return ties;
    }

    /** Of successive ranks about the straight line of their third, so that a steady rise does not count as correlation. */
    private static double correlation(double[] ranks, int m) {
        double squares = 0;
        double products = 0;
        for (int start = 0; start < ranks.length; start += m) {
            double[] residuals = residuals(Arrays.copyOfRange(ranks, start, start + m));
            for (int i = 0; i < m; i++) {
                squares += residuals[i] * residuals[i];
                products += i > 0 ? residuals[i - 1] * residuals[i] : 0;
            }
        }
        // Without correlation, two fitted numbers per third leave one of about -2/m.
        return squares < 1e-9 ? 0 : products / squares + 2.0 / m;
    }

    private static double[] residuals(double[] ranks) {
        double middle = (ranks.length - 1) / 2.0;
        double mean = Arrays.stream(ranks).average().orElseThrow();
        double slope = 0;
        double spread = 0;
        for (int i = 0; i < ranks.length; i++) {
            slope += (i - middle) * (ranks[i] - mean);
            spread += (i - middle) * (i - middle);
        }
        double perRequest = slope / spread;
        return IntStream.range(0, ranks.length)
                .mapToDouble(i -> ranks[i] - mean - perRequest * (i - middle))
                .toArray();
    }

    /** Of the standard normal distribution, by the power series of its distribution function. */
    private static double upperTail(double z) {
        double term = z;
        double sum = z;
        for (int k = 3; term > 1e-17 * sum; k += 2) {
            term *= z * z / k;
            sum += term;
        }
        return Math.max(0, 0.5 - Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * sum);
    }
}
