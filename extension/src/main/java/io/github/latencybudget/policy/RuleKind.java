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

    /**
     * {@return the rule}
     *
     * @throws PolicyException where it cannot be meant
     */
    Rule read(Metric metric, Section rule, PolicyScenario scenario);

    /** {@return every kind, by the name of the metric that it is about} */
    static Map<String, RuleKind> byMetric() {
        Map<String, RuleKind> kinds = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            kinds.put(
                    name(metric), metric.unit() == Metric.Unit.NANOSECONDS ? new LatencyKind() : new ThroughputKind());
        }
        return kinds;
    }

    /** {@return such as {@code decode-tgs}} */
    static String name(Metric metric) {
        return metric.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the metric of a name that is known} */
    static Metric metric(String name) {
        return Metric.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
