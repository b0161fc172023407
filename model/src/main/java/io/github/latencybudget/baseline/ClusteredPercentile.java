package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Percentile;
import java.util.OptionalDouble;

/**
 * A percentile of all values of a run, with bounds that take the request as the unit. How much the share of values beyond the
 * percentile varies from request to request says how many independent values all of them are worth (the effective sample size of
 * Korn and Graubard 1998); the bounds are those of so many, by the binomial distribution.
 *
 * @param lower what the percentile is at least; absent where the values are too few to say
 * @param upper what the percentile is at most; absent where the values are too few to say
 */
record ClusteredPercentile(double value, OptionalDouble lower, OptionalDouble upper) {

    /** A whole number must not lose one by the last bits of a sum. */
    private static final double ROUNDING = 1 + 1e-9;

    /** @param alpha the probability of an error of each bound */
    static ClusteredPercentile of(RequestSample sample, Percentile percentile, double alpha) {
        double[][] byRequest = sample.traces().stream().map(sample.metric()::of).toArray(double[][]::new);
        Distribution all = Distribution.of(byRequest);
        double value = all.percentile(percentile).getAsDouble();
        int independent = independentValues(sample, byRequest, value, percentile.shareAbove());
        int beyond = mostBeyond(independent, percentile.shareAbove(), alpha);
        int fewest = fewestBeyond(independent, percentile.shareAbove(), alpha);
        double valuesPerOne = all.size() / (double) independent;
        return new ClusteredPercentile(
                value,
                beyond >= independent
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(
                                all.atRank((int) Math.floor((independent - beyond - 1) * valuesPerOne) + 1)),
                fewest < 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(all.atRank(all.size() - (int) Math.floor(fewest * valuesPerOne))));
    }

    private static int independentValues(RequestSample sample, double[][] byRequest, double value, double allowed) {
        int size = 0;
        double squares = 0;
        for (double[] values : byRequest) {
            double beyond = 0;
            for (double v : values) {
                beyond += v > value ? 1 : 0;
            }
            double difference = beyond - allowed * values.length;
            squares += difference * difference;
            size += values.length;
        }
        double worth = squares == 0 ? size : size * (double) size * allowed * (1 - allowed) / squares;
        double share = sample.independentRequests() / byRequest.length;
        return (int) Math.max(1, ROUNDING * share * Math.min(size, worth));
    }

    /** {@return the most values beyond the true percentile, of which more are improbable} */
    private static int mostBeyond(int n, double allowed, double alpha) {
        double logTerm = n * Math.log1p(-allowed);
        double sum = Math.exp(logTerm);
        int k = 0;
        while (k < n && 1 - sum > ROUNDING * alpha) {
            logTerm += Math.log((n - k) / (k + 1.0) * allowed / (1 - allowed));
            k++;
            sum += Math.exp(logTerm);
        }
        return k;
    }

    /** {@return the fewest values beyond the true percentile, less one, of which fewer are improbable; -1 for none} */
    private static int fewestBeyond(int n, double allowed, double alpha) {
        double logTerm = n * Math.log1p(-allowed);
        double sum = Math.exp(logTerm);
        int k = 0;
        while (sum <= ROUNDING * alpha) {
            logTerm += Math.log((n - k) / (k + 1.0) * allowed / (1 - allowed));
            k++;
            sum += Math.exp(logTerm);
        }
        return k - 1;
    }
}
