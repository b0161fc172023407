package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a drift has to be in to matter to a rule, and how near a limit. */
final class DriftScope {

    private static final double NEAR = 2;

    private DriftScope() {}

    /** {@return the times, one per request, that what the rule judges rises and falls with; none where it depends on no time} */
    static Set<Metric> metrics(Rule rule) {
        return judged(rule).map(DriftScope::ofRequest).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Metric> judged(Rule rule) {
        if (rule instanceof LatencyRule latency) {
            return Stream.of(latency.metric());
        }
        if (rule instanceof MeanLatencyRule mean) {
            return Stream.of(mean.metric());
        }
        if (rule instanceof ThroughputRule throughput) {
            return Stream.of(throughput.metric());
        }
        return switch (rule.kind()) {
            case REQUEST_PERCENTILE -> Stream.of(Metric.ITL);
            case SYSTEM_TGS -> Stream.of(Metric.E2E);
            case FLUIDITY -> Stream.of(Metric.TTFT, Metric.ITL);
            case GOODPUT -> ((GoodputRule) rule).limits().stream().map(RequestLimit::metric);
            default -> Stream.empty();
        };
    }

    private static Metric ofRequest(Metric metric) {
        return switch (metric) {
            case ITL, ICL, DECODE_TGS -> Metric.TPOT;
            case REQUEST_TGS -> Metric.E2E;
            default -> metric;
        };
    }

    /** {@return whether a rule would look broken on these requests if its limit were twice as strict; true where that cannot be asked} */
    static boolean isNear(Rule rule, List<TokenTrace> traces) {
        if (rule instanceof LatencyRule latency) {
            return isNear(rule, latency.metric(), latency.percentile(), traces);
        }
        if (rule instanceof ThroughputRule throughput) {
            return isNear(rule, throughput.metric(), throughput.share(), traces);
        }
        if (rule instanceof RequestItlRule request) {
            return isNear(rule, request.values(), request.percentile(), traces);
        }
        if (rule instanceof MeanLatencyRule mean) {
            return Distribution.of(mean.metric(), traces).mean().orElse(Double.MAX_VALUE) > rule.limitInUnit() / NEAR;
        }
        return true;
    }

    private static boolean isNear(Rule rule, PerRequest metric, Percentile percentile, List<TokenTrace> traces) {
        double[][] values =
                traces.stream().map(metric::of).filter(v -> v.length > 0).toArray(double[][]::new);
        Ranking ranking = Ranking.of(metric, Distribution.of(values));
        double limit = rule.isAtMost() ? rule.limitInUnit() / NEAR : rule.limitInUnit() * NEAR;
        return ranking.beyond(limit) > percentile.shareAbove() * ranking.size();
    }
}
