package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.OptionalDouble;

/** The share of a request's tokens that come after their deadlines. */
record LateTokens(Duration ttftLimit, Duration itlLimit) implements PerRequest {

    @Override
    public String label() {
        return "fluidity";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.SHARE;
    }

    @Override
    public double[] of(TokenTrace trace) {
        OptionalDouble fluidity = StreamMetrics.fluidity(trace, ttftLimit.toNanos(), itlLimit.toNanos());
        return fluidity.isEmpty() ? new double[0] : new double[] {1 - fluidity.getAsDouble()};
    }
}
