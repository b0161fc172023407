package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Sampling;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;

/** A share of the requests reach at least a rate, under four conditions, which are those of the run. */
record ThroughputKind() implements RuleKind {

    private static final double BYTES_PER_GIB = 1L << 30;

    @Override
    public List<String> keys() {
        return List.of("share", "atLeastTokensPerSecond", "conditions");
    }

    @Override
    public Rule read(Metric metric, Section rule, PolicyScenario scenario) {
        Value limit = rule.require("atLeastTokensPerSecond", "name the rate in tokens per second");
        String allowed = "a rate is above 0 and finite, in tokens per second";
        double rate = limit.number(allowed);
        limit.require(rate > 0 && rate < Double.POSITIVE_INFINITY, allowed);
        return new ThroughputRule(metric, Percentiles.of(rule.get("share")), rate, conditions(rule, scenario));
    }

    private static ThroughputConditions conditions(Section rule, PolicyScenario scenario) {
        String four =
                "a TGS says nothing without its four conditions: `promptTokens`, `sampling`, `concurrency`, `maxDeviceMemoryGiB`";
        Section conditions = rule.require("conditions", four).section(Vocabulary.CONDITIONS);
        Value lengths = conditions.require("promptTokens", four);
        SortedSet<Integer> promptTokens = ScenarioReader.lengths(lengths);
        requireSame(lengths, promptTokens, scenario.promptTokens());
        Value how = conditions.require("sampling", four);
        Sampling sampling = ScenarioReader.sampling(how, true);
        requireSame(how, sampling, scenario.sampling());
        Value flight = conditions.require("concurrency", four);
        int concurrency = ScenarioReader.concurrency(flight);
        requireSame(flight, concurrency, scenario.concurrency());
        Value memory = conditions.require("maxDeviceMemoryGiB", four);
        String allowed = "it is above 0 and finite, in GiB";
        double gibibytes = memory.number(allowed);
        memory.require(gibibytes > 0 && gibibytes < Double.POSITIVE_INFINITY, allowed);
        return new ThroughputConditions(
                promptTokens, sampling, concurrency, Math.max(1, (long) (gibibytes * BYTES_PER_GIB)));
    }

    private static void requireSame(Value value, Object condition, Object ofScenario) {
        value.require(
                Objects.equals(condition, ofScenario),
                "the scenario has %s, and a rate holds for its own conditions only: make them equal, or move the rule to a policy of its own"
                        .formatted(ofScenario));
    }
}
