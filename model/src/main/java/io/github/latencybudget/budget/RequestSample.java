package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Comparator;
import java.util.List;
import org.apiguardian.api.API;

/**
 * What the requests with prompts of one length gave of a metric, with the request as the unit.
 *
 * @param metric which metric
 * @param traces those that completed and gave a value, in the order of their numbers
 * @param inFlight how many requests may share a moment
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record RequestSample(Metric metric, List<TokenTrace> traces, int inFlight) {

    /** Of fewer, how much successive ones resemble one another says nothing. */
    private static final int LEAST_FOR_CORRELATION = 12;

    private static final double MOST_CORRELATION = 0.98;

    public RequestSample {
        traces = traces.stream()
                .filter(t -> t.outcome() == Outcome.COMPLETED && metric.of(t).length > 0)
                .sorted(Comparator.comparingInt(TokenTrace::request))
                .toList();
    }

    /** {@return one value per request: its only one, or the median of its gaps} */
    public double[] levels() {
        return traces.stream().mapToDouble(t -> median(metric.of(t))).toArray();
    }

    /**
     * {@return how many independent requests say as much as these} Those in flight together may be one and the same moment, and
     * successive ones may resemble one another: of a first-order autoregression with the correlation {@code r}, {@code n} values
     * say as much of its middle as {@code n (1 - r) / (1 + r)} independent ones.
     */
    public double independentRequests() {
        double[] levels = levels();
        double moments = levels.length / (double) inFlight;
        if (moments < LEAST_FOR_CORRELATION) {
            return moments;
        }
        double found = SerialCorrelation.of(levels, levels.length, inFlight).coefficient();
        double correlation = Math.min(MOST_CORRELATION, Math.max(0, found));
        return moments * (1 - correlation) / (1 + correlation);
    }

    private static double median(double[] values) {
        return Distribution.of(new double[][] {values})
                .percentile(Percentile.P50)
                .getAsDouble();
    }
}
