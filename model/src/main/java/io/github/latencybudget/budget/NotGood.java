package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;

/** 1 for a request that breaks a limit or does not complete, else 0. Unknown where a limit is about a value that it lacks. */
record NotGood(List<RequestLimit> limits) implements PerRequest {

    private static final double[] GOOD = {0};
    private static final double[] BAD = {1};

    @Override
    public String label() {
        return "goodput";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.SHARE;
    }

    @Override
    public boolean isOfEveryOutcome() {
        return true;
    }

    @Override
    public double[] of(TokenTrace trace) {
        if (trace.outcome() != Outcome.COMPLETED) {
            return BAD.clone();
        }
        boolean isGood = true;
        for (RequestLimit limit : limits) {
            if (limit.appliesTo(trace.promptTokens())) {
                double[] values = limit.metric().of(trace);
                if (values.length == 0) {
                    return values;
                }
                for (double value : values) {
                    isGood &= value <= limit.limit().toNanos();
                }
            }
        }
        return isGood ? GOOD.clone() : BAD.clone();
    }
}
