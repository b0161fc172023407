package io.github.latencybudget.policy;

import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.Rule;
import java.util.List;

/** A percentile over the requests of a percentile of each one's gaps is at most a limit. */
record RequestItlKind() implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("promptTokens", "percentile", "ofGaps", "atMostMs");
    }

    @Override
    public boolean isOfGaps() {
        return true;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        return new RequestItlRule(
                Quantities.percentile(rule.get("percentile")),
                Quantities.percentile(rule.get("ofGaps")),
                Quantities.time(rule.require("atMostMs", "name the limit in milliseconds")),
                rule.get("promptTokens").map(v -> Quantities.lengths(v, scenario)));
    }
}
