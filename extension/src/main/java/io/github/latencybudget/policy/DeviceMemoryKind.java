package io.github.latencybudget.policy;

import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.Rule;
import java.util.List;

/** The device memory used is at most a limit. */
record DeviceMemoryKind() implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("atMostGiB");
    }

    @Override
    public boolean isOfGaps() {
        return false;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        return DeviceMemoryRule.atMostBytes(Quantities.bytes(rule.require("atMostGiB", "name the limit in GiB")));
    }
}
