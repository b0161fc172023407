package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** Tests how one metric changed at one prompt length. */
record ChangeTest(RequestSample before, RequestSample now, int promptTokens, Tolerance tolerance) {

    /** By the ratios of all pairs of requests. */
    Change typical() {
        double[] baseline = before.levels();
        double[] run = now.levels();
        int independentBefore = (int) before.independentRequests();
        int independentNow = (int) now.independentRequests();
        Change.Side ofBaseline = new Change.Side(median(baseline), baseline.length, independentBefore);
        Change.Side ofRun = new Change.Side(median(run), run.length, independentNow);
        if (!areAboveZero(baseline) || !areAboveZero(run)) {
            return withoutRatio(Change.Statistic.TYPICAL, ofBaseline, ofRun);
        }
        Pairs pairs = new Pairs(baseline, run);
        long rank = new MannWhitney(independentBefore, independentNow)
                .rank(tolerance.confidence().alpha());
        if (rank == 0) {
            return change(
                    Change.Statistic.TYPICAL,
                    ofBaseline,
                    ofRun,
                    pairs.median(),
                    OptionalDouble.empty(),
                    OptionalDouble.empty());
        }
        // What says as much as fewer requests has as many more pairs at each of their ranks.
        double pairsPerRank = pairs.size() / ((double) independentBefore * independentNow);
        long fromEnd = (long) Math.floor((rank - 1) * pairsPerRank) + 1;
        return change(
                Change.Statistic.TYPICAL,
                ofBaseline,
                ofRun,
                pairs.median(),
                OptionalDouble.of(pairs.atRank(fromEnd)),
                OptionalDouble.of(pairs.atRank(pairs.size() + 1 - fromEnd)));
    }

    /** Each P95 has an interval of its own; their distances from the two P95 are added as independent ones are, by squares. */
    Change p95() {
        double alpha = tolerance.confidence().alpha();
        ClusteredPercentile baseline = ClusteredPercentile.of(before, Percentile.P95, alpha);
        ClusteredPercentile run = ClusteredPercentile.of(now, Percentile.P95, alpha);
        Change.Side ofBaseline = side(before, baseline);
        Change.Side ofRun = side(now, run);
        if (!areAboveZero(baseline.lower().orElse(baseline.value()), run.lower().orElse(run.value()))) {
            return withoutRatio(Change.Statistic.P95, ofBaseline, ofRun);
        }
        double ratio = run.value() / baseline.value();
        OptionalDouble down = together(run.value(), run.lower(), baseline.value(), baseline.upper());
        OptionalDouble up = together(run.value(), run.upper(), baseline.value(), baseline.lower());
        return change(
                Change.Statistic.P95,
                ofBaseline,
                ofRun,
                ratio,
                down.isPresent() ? OptionalDouble.of(ratio / Math.exp(down.getAsDouble())) : down,
                up.isPresent() ? OptionalDouble.of(ratio * Math.exp(up.getAsDouble())) : up);
    }

    private static Change.Side side(RequestSample sample, ClusteredPercentile percentile) {
        return new Change.Side(percentile.value(), sample.traces().size(), (int) sample.independentRequests());
    }

    private static OptionalDouble together(
            double value, OptionalDouble bound, double other, OptionalDouble otherBound) {
        return bound.isEmpty() || otherBound.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        Math.hypot(Math.log(bound.getAsDouble() / value), Math.log(otherBound.getAsDouble() / other)));
    }

    private Change change(
            Change.Statistic statistic,
            Change.Side baseline,
            Change.Side run,
            double ratio,
            OptionalDouble lower,
            OptionalDouble upper) {
        ChangeStatus status = status(lower, upper);
        return new Change(
                metric(),
                statistic,
                promptTokens,
                baseline,
                run,
                OptionalDouble.of(ratio),
                lower,
                upper,
                status,
                status == ChangeStatus.INCONCLUSIVE
                        ? Optional.of(String.format(
                                Locale.ROOT,
                                "neither worse by more than %s nor no worse could be shown; measure more requests, in the baseline too, or quieten the machine",
                                tolerance.percentInWords()))
                        : Optional.empty());
    }

    private Change withoutRatio(Change.Statistic statistic, Change.Side baseline, Change.Side run) {
        return new Change(
                metric(),
                statistic,
                promptTokens,
                baseline,
                run,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                ChangeStatus.INCONCLUSIVE,
                Optional.of("a value of 0 has no ratio to another; correct the clock of the target"));
    }

    private ChangeStatus status(OptionalDouble lower, OptionalDouble upper) {
        boolean isTime = metric().unit() == Metric.Unit.NANOSECONDS;
        // Those of a rate, which is worse where it is lower, as those of a time that is longer.
        double best = isTime ? lower.orElse(0) : -upper.orElse(Double.POSITIVE_INFINITY);
        double worst = isTime ? upper.orElse(Double.POSITIVE_INFINITY) : -lower.orElse(0);
        double worse = isTime ? 1 + tolerance.share() : -(1 - tolerance.share());
        double improved = isTime ? 1 - tolerance.share() : -(1 + tolerance.share());
        if (best > worse) {
            return ChangeStatus.WORSE;
        }
        if (worst > worse) {
            return ChangeStatus.INCONCLUSIVE;
        }
        if (worst < improved) {
            return ChangeStatus.IMPROVED;
        }
        return best >= improved ? ChangeStatus.SAME : ChangeStatus.NOT_WORSE;
    }

    private Metric metric() {
        return now.metric();
    }

    private static boolean areAboveZero(double... values) {
        return DoubleStream.of(values).allMatch(v -> v > 0);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[Percentile.P50.rank(sorted.length) - 1];
    }
}
