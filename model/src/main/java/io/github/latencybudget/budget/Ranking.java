package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;

/**
 * Values in the order from the best to the worst: rising for times, falling for rates. A rule on a rate is thereby the same as
 * one on a time.
 */
record Ranking(Distribution values, boolean lessIsBetter) {

    static Ranking of(PerRequest metric, Distribution values) {
        return new Ranking(values, metric.unit() == Metric.Unit.NANOSECONDS);
    }

    int size() {
        return values.size();
    }

    /** {@return the value at a rank from 1 for the best to {@link #size()} for the worst} */
    double at(int rank) {
        return values.atRank(lessIsBetter ? rank : size() - rank + 1);
    }

    /** {@return how many values are worse than the limit} */
    int beyond(double limit) {
        return lessIsBetter ? values.countAbove(limit) : values.countBelow(limit);
    }
}
