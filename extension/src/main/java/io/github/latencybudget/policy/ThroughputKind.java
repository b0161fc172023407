package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;

/** A share of the requests reach at least a rate, under four conditions, which are those of the run. */
record ThroughputKind(Metric metric) implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("share", "atLeastTokensPerSecond", "conditions");
    }

    @Override
    public boolean isOfGaps() {
        return metric == Metric.DECODE_TGS;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        return new ThroughputRule(
                metric, Quantities.percentile(rule.get("share")), rate(rule), conditions(rule, scenario));
    }

    static double rate(Section rule) {
        return Quantities.positive(
                rule.require("atLeastTokensPerSecond", "name the rate in tokens per second"),
                "a rate is above 0 and finite, in tokens per second");
    }

    static ThroughputConditions conditions(Section rule, PolicyScenario scenario) {
        String four =
                "a TGS says nothing without its four conditions: `promptTokens`, `sampling`, `concurrency`, `maxDeviceMemoryGiB`";
        Section conditions = rule.require("conditions", four).section(Vocabulary.CONDITIONS);
        Value lengths = conditions.require("promptTokens", four);
        lengths.require(
                scenario.file().isEmpty(),
                "the lengths of the file `scenario.prompts` are not known before it has run; give the scenario `promptTokens`, or move the rule to a policy of its own");
        SortedSet<Integer> promptTokens = ScenarioReader.lengths(lengths);
        Optional<PromptShares> shares = ScenarioReader.shares(lengths);
        lengths.require(
                promptTokens.equals(scenario.promptTokens()) && shares.equals(scenario.shares()),
                otherThan(scenario.lengthsInWords()));
        Value how = conditions.require("sampling", four);
        Sampling sampling = ScenarioReader.sampling(how, true);
        requireSame(how, sampling, scenario.sampling());
        Value flight = conditions.require("concurrency", four);
        flight.require(
                scenario.openLoop().isEmpty(),
                "the scenario is an open loop, in which how many are in flight is a result; move the rule to a policy of its own, or leave it out by `without`");
        flight.require(
                scenario.thinkTime().isEmpty(),
                "the users of the scenario think (`thinkMs`), so fewer are in flight; move the rule to a policy of its own, or leave it out by `without`");
        flight.require(
                scenario.sweep().isEmpty(),
                "the scenario is a sweep of several loads, and a rate in tokens holds for one concurrency; move the rule to a policy of its own, or leave it out by `without`");
        int concurrency = ScenarioReader.concurrency(flight);
        requireSame(flight, concurrency, scenario.concurrency());
        Value memory = conditions.require("maxDeviceMemoryGiB", four);
        return new ThroughputConditions(promptTokens, shares, sampling, concurrency, Quantities.bytes(memory));
    }

    private static void requireSame(Value value, Object condition, Object ofScenario) {
        value.require(Objects.equals(condition, ofScenario), otherThan(ofScenario));
    }

    private static String otherThan(Object ofScenario) {
        return String.format(
                Locale.ROOT,
                "the scenario has %s, and a rate holds for its own conditions only: make them equal, or move the rule to a policy of its own",
                ofScenario);
    }
}
