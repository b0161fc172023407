package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;

/** 1 for a request that did not complete, else 0. */
record NotCompleted() implements PerRequest {

    @Override
    public String label() {
        return "failure share";
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
        return new double[] {trace.outcome() == Outcome.COMPLETED ? 0 : 1};
    }
}
