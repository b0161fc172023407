package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A kind of rule that a policy can state: the keys that it has beside those of every rule, and what they mean. */
interface RuleKind {

    /** The keys that every rule has. */
    List<String> SHARED = List.of("metric", "tags", "targets", "device", "waiverPlan");

    /** {@return the keys of this kind} */
    List<String> keys();

    /** {@return whether it is about gaps, of which one output token has none} */
    boolean isOfGaps();

    /**
     * {@return the rule}
     *
     * @throws PolicyException where it cannot be meant
     */
    Rule read(Section rule, PolicyScenario scenario);

    /** {@return every kind, by what it is about} */
    static Map<String, RuleKind> byMetric() {
        Map<String, RuleKind> kinds = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            kinds.put(
                    metric.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    metric.unit() == Metric.Unit.NANOSECONDS ? new LatencyKind(metric) : new ThroughputKind(metric));
        }
        kinds.put("request-itl", new RequestItlKind());
        kinds.put("system-tgs", new SystemThroughputKind());
        kinds.put("goodput", new GoodputKind());
        kinds.put("fluidity", new FluidityKind());
        kinds.put("failure-share", new FailureKind());
        kinds.put("drift", new DriftKind());
        kinds.put("device-memory", new DeviceMemoryKind());
        return kinds;
    }
}
