package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.DoubleStream;

/** What each request gave of a metric, in rounds that are a sample each. */
final class Observations {

    private final boolean lessIsBetter;
    /** By request, each in ascending order. */
    private final double[][] values;

    private final double[] levels;
    /** The requests of the first round, then those of the second, and so on. */
    private final int[] order;

    private final int roundSize;
    private final int chains;

    private Observations(PerRequest metric, double[][] values, double[] levels, int[] order, Rounds<Integer> rounds) {
        this.lessIsBetter = metric.unit() == Metric.Unit.NANOSECONDS;
        this.values = values;
        this.levels = levels;
        this.order = order;
        this.roundSize = rounds.size();
        this.chains = rounds.chains();
    }

    /**
     * @param traces in the order of their numbers
     * @param values one array per trace, each with at least one value; sorted in place
     */
    static Observations of(
            PerRequest metric, List<TokenTrace> traces, double[][] values, Collection<Integer> lengths, int inFlight) {
        Rounds<Integer> rounds = new Rounds<>(lengths, inFlight);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            rounds.add(traces.get(i).promptTokens(), i).ifPresent(order::addAll);
        }
        double[] levels = Arrays.stream(values).mapToDouble(Observations::level).toArray();
        Arrays.stream(values).parallel().forEach(Arrays::sort);
        return new Observations(
                metric,
                values,
                levels,
                order.stream().mapToInt(Integer::intValue).toArray(),
                rounds);
    }

    /** What one request is compared with the next by. */
    static double level(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    int rounds() {
        return order.length / roundSize;
    }

    int roundSize() {
        return roundSize;
    }

    /** {@return how many successive rounds may share a moment} */
    int chains() {
        return chains;
    }

    /** {@return how many requests may share a moment, in whole rounds} */
    int inFlight() {
        return roundSize * chains;
    }

    int requests() {
        return values.length;
    }

    double level(int round) {
        double sum = 0;
        for (int i = round * roundSize; i < (round + 1) * roundSize; i++) {
            sum += levels[order[i]];
        }
        return sum / roundSize;
    }

    /** {@return the mean over the requests of what each is compared with the next by} */
    double mean() {
        return DoubleStream.of(levels).average().orElse(Double.NaN);
    }

    /** {@return the share of a round's values that lie beyond a limit, each request weighing the same} */
    double share(int round, double limit) {
        double sum = 0;
        for (int i = round * roundSize; i < (round + 1) * roundSize; i++) {
            sum += share(order[i], place(order[i], limit, 0, values[order[i]].length));
        }
        return sum / roundSize;
    }

    private double share(int request, int place) {
        int all = values[request].length;
        return (lessIsBetter ? all - place : place) / (double) all;
    }

    /** {@return where the values of a request part at a limit, which is known to lie between two places} */
    private int place(int request, double limit, int from, int to) {
        double[] ofOne = values[request];
        // Of rates, those equal to the limit are on the same side as those above.
        double last = lessIsBetter ? limit : Math.nextDown(limit);
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ofOne[middle] > last) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** A search for the limit at which something begins to be shown. It narrows down where the values of each request part. */
    final class Search {

        /** How many values each request has, which are nearer to one another here than in the requests. */
        private final int[] all = new int[order.length];

        private final int[] from = new int[order.length];
        private final int[] to = new int[order.length];
        private final int[] places = new int[order.length];
        private int looked;

        Search() {
            for (int i = 0; i < all.length; i++) {
                all[i] = values[order[i]].length;
                to[i] = all[i];
            }
        }

        /** Begins with the first round again, at another limit. */
        void restart() {
            looked = 0;
        }

        /** {@return the share of the next round at a limit} */
        double next(double limit) {
            double sum = 0;
            for (int i = 0; i < roundSize; i++) {
                int place = from[looked] == to[looked]
                        ? from[looked]
                        : place(order[looked], limit, from[looked], to[looked]);
                places[looked] = place;
                sum += (lessIsBetter ? all[looked] - place : place) / (double) all[looked];
                looked++;
            }
            return sum / roundSize;
        }

        /** From here on no limit above the last one is looked at. What was not looked at is as wide as before. */
        void below() {
            System.arraycopy(places, 0, to, 0, looked);
        }

        /** From here on no limit below the last one is looked at. */
        void above() {
            System.arraycopy(places, 0, from, 0, looked);
        }
    }
}
