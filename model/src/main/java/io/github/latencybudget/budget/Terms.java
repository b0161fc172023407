package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.RankedValues;
import java.util.Optional;

/**
 * On what terms a rule is bet on.
 *
 * @param values what each request gives; of a rule on the run as a whole, what a request has to give to be part of it
 * @param bet on the mean of the samples
 * @param limit of the values, or of the samples where these are not shares of values beyond it
 * @param percentile of which the limit is: a sample is then the share of its values beyond the limit; else it is their mean
 * @param lessIsBetter whether smaller values are better
 */
record Terms(PerRequest values, Bet bet, double limit, Optional<Percentile> percentile, boolean lessIsBetter) {

    static final double NANOS_PER_SECOND = 1e9;

    /** {@return whether the rule is judged as the requests come: neither by what was seen alone nor once at the end} */
    static boolean areBetOn(Rule rule) {
        return !(rule instanceof DeviceMemoryRule || rule instanceof DriftRule);
    }

    /** {@return what a rule takes of each request; empty where it takes nothing} */
    static Optional<PerRequest> values(Rule rule) {
        if (rule instanceof DriftRule drift) {
            return Optional.of(drift.metric());
        }
        return areBetOn(rule) ? Optional.of(of(rule).values()) : Optional.empty();
    }

    /** @throws IllegalArgumentException for a rule that nothing is bet on */
    static Terms of(Rule rule) {
        if (rule instanceof LatencyRule r) {
            return ofPercentile(r.metric(), r.percentile(), r.limitInUnit());
        }
        if (rule instanceof ThroughputRule r) {
            return ofPercentile(r.metric(), r.share(), r.limitInUnit());
        }
        if (rule instanceof RequestItlRule r) {
            return ofPercentile(r.values(), r.percentile(), r.limitInUnit());
        }
        if (rule instanceof MeanLatencyRule r) {
            return ofMean(r.metric(), r.limitInUnit());
        }
        if (rule instanceof SystemThroughputRule r) {
            return ofMean(Metric.E2E, NANOS_PER_SECOND / r.minTokensPerSecond());
        }
        if (rule instanceof GoodputRule r) {
            return ofShare(new NotGood(r.limits()), 1 - r.minShare());
        }
        if (rule instanceof FluidityRule r) {
            return ofShare(new LateTokens(r.ttftLimit(), r.itlLimit()), 1 - r.minShare());
        }
        if (rule instanceof FailureRule r) {
            return ofShare(new NotCompleted(), r.maxShare());
        }
        throw new IllegalArgumentException("nothing is bet on " + rule.text());
    }

    private static Terms ofPercentile(PerRequest values, Percentile percentile, double limit) {
        return new Terms(
                values,
                Bet.onShare(percentile.shareAbove()),
                limit,
                Optional.of(percentile),
                values.unit() == Metric.Unit.NANOSECONDS);
    }

    private static Terms ofMean(PerRequest values, double limit) {
        return new Terms(values, Bet.onMean(limit), limit, Optional.empty(), true);
    }

    private static Terms ofShare(PerRequest values, double allowed) {
        return new Terms(values, Bet.onShare(allowed), allowed, Optional.empty(), true);
    }

    /** {@return what is bet on of a request} */
    double sample(double[] ofOne) {
        return percentile.isPresent() ? shareBeyond(ofOne) : RankedValues.mean(ofOne);
    }

    private double shareBeyond(double[] ofOne) {
        int beyond = 0;
        for (double value : ofOne) {
            beyond += (lessIsBetter ? value > limit : value < limit) ? 1 : 0;
        }
        return beyond / (double) ofOne.length;
    }
}
