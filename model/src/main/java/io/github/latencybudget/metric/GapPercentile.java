package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import org.apiguardian.api.API;

/**
 * A percentile of the gaps of each request, by nearest rank: one value per request, in nanoseconds. "P95 of request P95s" is the
 * P95 of these over the requests. Unlike a percentile of the pooled gaps it says how many requests were slow, not how many tokens.
 *
 * @param percentile which percentile of a request's gaps
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GapPercentile(Percentile percentile) implements PerRequest {

    @Override
    public String label() {
        return "request ITL " + percentile;
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.NANOSECONDS;
    }

    @Override
    public double[] of(TokenTrace trace) {
        double[] gaps = Metric.ITL.of(trace);
        if (gaps.length == 0) {
            return gaps;
        }
        Arrays.sort(gaps);
        return new double[] {gaps[percentile.rank(gaps.length) - 1]};
    }
}
