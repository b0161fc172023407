package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apiguardian.api.API;

/**
 * The values of one metric over the requests of a run, pooled and sorted, with the places that those of each request have among
 * them. How many values of a request lie beyond a limit is found by places, which take half the memory of the values.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class RankedValues {

    private final Distribution all;
    private final double[] means;
    /** Where the places of each request begin; one more than there are requests. */
    private final int[] starts;
    /** From 0 on, those of one request after those of another, each in ascending order. */
    private final int[] places;

    private RankedValues(Distribution all, double[] means, int[] starts, int[] places) {
        this.all = all;
        this.means = means;
        this.starts = starts;
        this.places = places;
    }

    /**
     * @param metric which metric
     * @param traces requests that each give at least one value
     */
    public static RankedValues of(PerRequest metric, List<TokenTrace> traces) {
        return of(traces.size(), i -> metric.of(traces.get(i)));
    }

    /** @param values those of a request, at least one, for any thread; asked for twice, so that they need not be held beside what is made of them */
    static RankedValues of(int requests, IntFunction<double[]> values) {
        double[] means = new double[requests];
        double[] largest = new double[requests];
        int[] starts = new int[requests + 1];
        IntStream.range(0, requests).parallel().forEach(i -> {
            double[] ofOne = values.apply(i);
            means[i] = mean(ofOne);
            largest[i] = largestWhole(ofOne);
            starts[i + 1] = ofOne.length;
        });
        int most = Arrays.stream(starts).max().orElse(0);
        Arrays.parallelPrefix(starts, Math::addExact);
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(requests);
        boolean isWhole = Arrays.stream(largest).allMatch(v -> v < 1L << (Long.SIZE - 1 - bits));
        Order order = isWhole ? ofWhole(values, starts, bits) : ofAny(values, starts);
        return new RankedValues(Distribution.ofSorted(order.sorted(), requests, most), means, starts, order.places());
    }

    /** Of whole values from 0 on; else without end. */
    private static double largestWhole(double[] values) {
        double largest = 0;
        for (double value : values) {
            if (!(value >= 0 && value == (long) value)) {
                return Double.POSITIVE_INFINITY;
            }
            largest = Math.max(largest, value);
        }
        return largest;
    }

    private record Order(double[] sorted, int[] places) {}

    /** Times are whole nanoseconds, beside which there is room for the number of the request, so that one sort finds the places too. */
    private static Order ofWhole(IntFunction<double[]> values, int[] starts, int bits) {
        long[] keys = Sorting.sorted(keys(values, starts, bits), bits);
        // Not before, since sorting takes as much again.
        double[] sorted = new double[keys.length];
        int[] places = new int[keys.length];
        int[] free = starts.clone();
        for (int i = 0; i < keys.length; i++) {
            sorted[i] = keys[i] >>> bits;
            places[free[(int) (keys[i] & (1L << bits) - 1)]++] = i;
        }
        return new Order(sorted, places);
    }

    private static long[] keys(IntFunction<double[]> values, int[] starts, int bits) {
        long[] keys = new long[starts[starts.length - 1]];
        IntStream.range(0, starts.length - 1).parallel().forEach(request -> {
            int next = starts[request];
            for (double value : values.apply(request)) {
                keys[next++] = (long) value << bits | request;
            }
        });
        return keys;
    }

    private static Order ofAny(IntFunction<double[]> values, int[] starts) {
        double[] sorted = new double[starts[starts.length - 1]];
        for (int request = 0; request + 1 < starts.length; request++) {
            double[] ofOne = values.apply(request);
            System.arraycopy(ofOne, 0, sorted, starts[request], ofOne.length);
        }
        Sorting.sort(sorted);
        int[] places = new int[sorted.length];
        for (int request = 0; request + 1 < starts.length; request++) {
            int at = starts[request];
            for (double value : values.apply(request)) {
                // Of values that are the same any place will do: a limit lies beyond all of them or none.
                places[at++] = Arrays.binarySearch(sorted, value);
            }
            Arrays.sort(places, starts[request], at);
        }
        return new Order(sorted, places);
    }

    /** {@return the mean of what one request gave, each value weighing the same; NaN without one} */
    public static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    /** {@return the values of all requests} */
    public Distribution all() {
        return all;
    }

    /** {@return how many requests there are} */
    public int requests() {
        return means.length;
    }

    /** {@return how many values a request gave} */
    public int size(int request) {
        return starts[request + 1] - starts[request];
    }

    /** {@return the mean of what a request gave} */
    public double mean(int request) {
        return means[request];
    }

    /** {@return the mean over the requests of the mean of each; absent without one} */
    public OptionalDouble meanOfMeans() {
        return DoubleStream.of(means).average();
    }

    /**
     * {@return how many values of a request have a place before this one}
     *
     * @param place from 0 to {@code all().size()}
     * @param least how many are known to have one
     * @param most how many may have one, at most
     */
    public int before(int place, int request, int least, int most) {
        int start = starts[request];
        int low = start + least;
        int high = start + most;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (places[middle] >= place) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low - start;
    }
}
