package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.apiguardian.api.API;

/**
 * The values of one metric over the requests of a run, pooled and sorted. Each value weighs the same, so a request with more
 * gaps weighs more in ITL; in the metrics with one value per request every request weighs the same.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Distribution {

    private final double[] sorted;
    private final int requests;
    private final int mostPerRequest;

    private Distribution(double[] sorted, int requests, int mostPerRequest) {
        this.sorted = sorted;
        this.requests = requests;
        this.mostPerRequest = mostPerRequest;
    }

    /**
     * @param metric which metric
     * @param traces the requests to pool; those for which the metric is not defined give no value and do not count
     */
    public static Distribution of(Metric metric, List<TokenTrace> traces) {
        return of(traces.stream().map(metric::of).filter(v -> v.length > 0).toArray(double[][]::new));
    }

    /** @param byRequest the values of each request, at least one; copied */
    public static Distribution of(double[][] byRequest) {
        int size = Arrays.stream(byRequest).mapToInt(v -> v.length).sum();
        double[] pooled = new double[size];
        int at = 0;
        int mostPerRequest = 0;
        for (double[] ofOne : byRequest) {
            System.arraycopy(ofOne, 0, pooled, at, ofOne.length);
            at += ofOne.length;
            mostPerRequest = Math.max(mostPerRequest, ofOne.length);
        }
        Sorting.sort(pooled);
        return new Distribution(pooled, byRequest.length, mostPerRequest);
    }

    /** @param sorted in ascending order; not to be changed any more */
    static Distribution ofSorted(double[] sorted, int requests, int mostPerRequest) {
        return new Distribution(sorted, requests, mostPerRequest);
    }

    /** Values that are samples of their own, such as steps of an engine. */
    static Distribution of(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return new Distribution(sorted, sorted.length, Math.min(1, sorted.length));
    }

    /** {@return how many values there are} */
    public int size() {
        return sorted.length;
    }

    /** {@return how many requests gave at least one value} */
    public int requests() {
        return requests;
    }

    /** {@return the most values that one request gave} */
    public int mostPerRequest() {
        return mostPerRequest;
    }

    /**
     * {@return the value at a rank, in ascending order}
     *
     * @param rank from 1 to {@link #size()}
     * @throws ArrayIndexOutOfBoundsException for any other rank
     */
    public double atRank(int rank) {
        return sorted[rank - 1];
    }

    /** {@return the percentile by nearest rank; absent without a value} */
    public OptionalDouble percentile(Percentile percentile) {
        return sorted.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(atRank(percentile.rank(sorted.length)));
    }

    /** {@return the largest value; absent without one} */
    public OptionalDouble max() {
        return percentile(Percentile.of(100));
    }

    /** {@return the mean of the pooled values; absent without one} */
    public OptionalDouble mean() {
        return DoubleStream.of(sorted).average();
    }

    /** {@return the standard deviation of the sample, over n - 1; absent with fewer than two values} */
    public OptionalDouble standardDeviation() {
        if (sorted.length < 2) {
            return OptionalDouble.empty();
        }
        double mean = mean().getAsDouble();
        double squares =
                DoubleStream.of(sorted).map(v -> (v - mean) * (v - mean)).sum();
        return OptionalDouble.of(Math.sqrt(squares / (sorted.length - 1)));
    }

    /**
     * {@return how many values lie strictly above}
     *
     * @throws IllegalArgumentException for NaN, beyond which nothing ever lies
     */
    public int countAbove(double limit) {
        return sorted.length - firstAbove(limit);
    }

    /**
     * {@return how many values lie strictly below}
     *
     * @throws IllegalArgumentException for NaN, beyond which nothing ever lies
     */
    public int countBelow(double limit) {
        return firstAbove(Math.nextDown(limit));
    }

    private int firstAbove(double limit) {
        if (Double.isNaN(limit)) {
            throw new IllegalArgumentException("limit = NaN: must be a number");
        }
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] > limit) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
