package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.SystemThroughputRule;
import java.util.List;

/** All tokens over the time of the run are at least a rate, under its four conditions. */
record SystemThroughputKind() implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("atLeastTokensPerSecond", "conditions");
    }

    @Override
    public boolean isOfGaps() {
        return false;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        return new SystemThroughputRule(ThroughputKind.rate(rule), ThroughputKind.conditions(rule, scenario));
    }
}
