package io.github.latencybudget.policy;

import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.Rule;
import java.util.List;

/** At most a share of the requests do not complete. */
record FailureKind() implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("promptTokens", "atMostShare");
    }

    @Override
    public boolean isOfGaps() {
        return false;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        return new FailureRule(
                Quantities.share(rule.require("atMostShare", "name the share, such as 0.01")),
                rule.get("promptTokens").map(v -> Quantities.lengths(v, scenario)));
    }
}
