package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A time that a verdict rests on, and that may drift.
 *
 * @param level the time, one value per request
 * @param isAbout the prompt lengths that it is about
 * @param isNear whether these requests come near the limit: a limit that is twice as strict would look broken
 */
record DriftSubject(Metric level, IntPredicate isAbout, Predicate<List<TokenTrace>> isNear) {

    private static final double NEAR = 2;

    /** {@return what of a rule may drift; nothing where it is not about a time} */
    static Stream<DriftSubject> of(Rule rule) {
        if (rule instanceof LatencyRule latency) {
            return Stream.of(of(rule, latency.metric(), latency.metric(), share(latency.percentile(), rule)));
        }
        if (rule instanceof ThroughputRule throughput) {
            return Stream.of(of(rule, throughput.metric(), throughput.metric(), share(throughput.share(), rule)));
        }
        if (rule instanceof RequestItlRule itl) {
            return Stream.of(of(rule, Metric.ITL, itl.values(), share(itl.percentile(), rule)));
        }
        if (rule instanceof MeanLatencyRule mean) {
            return Stream.of(new DriftSubject(
                    level(mean.metric()),
                    rule::appliesTo,
                    traces -> mean(mean.metric(), traces) > rule.limitInUnit() / NEAR));
        }
        if (rule instanceof SystemThroughputRule) {
            return Stream.of(new DriftSubject(
                    Metric.E2E,
                    rule::appliesTo,
                    traces -> SystemThroughput.of(traces)
                            .filter(s -> s.systemTgs() < rule.limitInUnit() * NEAR)
                            .isPresent()));
        }
        if (rule instanceof GoodputRule goodput) {
            return goodput.limits().stream()
                    .map(l -> within(l.metric(), l::appliesTo, l.limit(), 1 - goodput.minShare()));
        }
        if (rule instanceof FluidityRule fluidity) {
            return Stream.of(
                    within(Metric.TTFT, rule::appliesTo, fluidity.ttftLimit(), 1 - fluidity.minShare()),
                    within(Metric.ITL, rule::appliesTo, fluidity.itlLimit(), 1 - fluidity.minShare()));
        }
        return Stream.empty();
    }

    /** {@return the times that are looked at where no limit is known: each clear drift of them counts} */
    static Stream<DriftSubject> withoutLimit() {
        return Stream.of(Metric.TTFT, Metric.TPOT).map(m -> new DriftSubject(m, length -> true, traces -> true));
    }

    /** How many of the values may be beyond a limit, and which. */
    private record Allowed(double share, double limit) {}

    private static Allowed share(Percentile percentile, Rule rule) {
        return new Allowed(percentile.shareAbove(), rule.limitInUnit());
    }

    private static DriftSubject within(Metric metric, IntPredicate isAbout, Duration limit, double share) {
        return new DriftSubject(
                level(metric), isAbout, traces -> isNear(metric, traces, new Allowed(share, limit.toNanos())));
    }

    private static DriftSubject of(Rule rule, Metric metric, PerRequest values, Allowed allowed) {
        return new DriftSubject(level(metric), rule::appliesTo, traces -> isNear(values, traces, allowed));
    }

    private static boolean isNear(PerRequest values, List<TokenTrace> traces, Allowed allowed) {
        Ranking ranking = Ranking.of(
                values,
                Distribution.of(traces.stream()
                        .map(values::of)
                        .filter(v -> v.length > 0)
                        .toArray(double[][]::new)));
        double limit = ranking.lessIsBetter() ? allowed.limit() / NEAR : allowed.limit() * NEAR;
        return ranking.beyond(limit) > allowed.share() * ranking.size();
    }

    private static double mean(Metric metric, List<TokenTrace> traces) {
        return traces.stream()
                .flatMapToDouble(t -> Arrays.stream(metric.of(t)))
                .average()
                .orElse(0);
    }

    /** One time per request that rises and falls with these values. */
    private static Metric level(Metric metric) {
        return switch (metric) {
            case ITL, ICL, DECODE_TGS -> Metric.TPOT;
            case REQUEST_TGS -> Metric.E2E;
            default -> metric;
        };
    }
}
