package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.metric.RankedValues;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;

/** What each request gave of a metric, in rounds that are a sample each. */
final class Observations {

    private final RankedValues values;
    private final boolean lessIsBetter;
    /** The requests of the first round, then those of the second, and so on. */
    private final int[] order;

    private final int roundSize;
    private final int chains;

    private Observations(PerRequest metric, RankedValues values, int[] order, Rounds<Integer> rounds) {
        this.values = values;
        this.lessIsBetter = metric.unit() == Metric.Unit.NANOSECONDS;
        this.order = order;
        this.roundSize = rounds.size();
        this.chains = rounds.chains();
    }

    /**
     * @param traces in the order of their numbers, each with at least one value
     * @param rounds empty ones of the lengths of the traces
     */
    static Observations of(PerRequest metric, List<TokenTrace> traces, Rounds<Integer> rounds) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < traces.size(); i++) {
            rounds.add(traces.get(i).promptTokens(), i).ifPresent(order::addAll);
        }
        return new Observations(
                metric,
                RankedValues.of(metric, traces),
                order.stream().mapToInt(Integer::intValue).toArray(),
                rounds);
    }

    /** {@return all values, of whichever round} */
    Distribution all() {
        return values.all();
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

    int requests() {
        return values.requests();
    }

    double level(int round) {
        double sum = 0;
        for (int i = round * roundSize; i < (round + 1) * roundSize; i++) {
            sum += values.mean(order[i]);
        }
        return sum / roundSize;
    }

    /** {@return the mean over the requests of what each is compared with the next by} */
    double mean() {
        return values.meanOfMeans().orElse(Double.NaN);
    }

    private double share(int size, int before) {
        return (lessIsBetter ? size - before : before) / (double) size;
    }

    /** {@return the place before which the values on the lower side of a limit are} */
    private int place(double limit) {
        return lessIsBetter ? all().size() - all().countAbove(limit) : all().countBelow(limit);
    }

    /** The shares beyond a limit, round by round, and beyond others after it. A search among them narrows down where the values of each request part. */
    final class Search {

        private final int[] from = new int[order.length];
        private final int[] to = new int[order.length];
        private final int[] found = new int[order.length];
        private int place;
        private int looked;

        Search() {
            for (int i = 0; i < to.length; i++) {
                to[i] = values.size(order[i]);
            }
        }

        /** Begins with the first round, at a limit. */
        Search at(double limit) {
            place = place(limit);
            looked = 0;
            return this;
        }

        /** {@return the share of the next round at the limit} */
        double next() {
            double sum = 0;
            for (int i = 0; i < roundSize; i++) {
                int request = order[looked];
                int before = from[looked] == to[looked]
                        ? from[looked]
                        : values.before(place, request, from[looked], to[looked]);
                found[looked++] = before;
                sum += share(values.size(request), before);
            }
            return sum / roundSize;
        }

        /** From here on no limit above the last one is looked at. What was not looked at is as wide as before. */
        void below() {
            System.arraycopy(found, 0, to, 0, looked);
        }

        /** From here on no limit below the last one is looked at. */
        void above() {
            System.arraycopy(found, 0, from, 0, looked);
        }
    }
}
