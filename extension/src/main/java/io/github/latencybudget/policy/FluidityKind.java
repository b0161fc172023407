package io.github.latencybudget.policy;

import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.Rule;
import java.util.List;

/** A share of the tokens come in time. */
record FluidityKind() implements RuleKind {

    @Override
    public List<String> keys() {
        return List.of("promptTokens", "ttftMs", "itlMs", "atLeastShare");
    }

    @Override
    public boolean isOfGaps() {
        return true;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        String times = "it takes `ttftMs` and `itlMs`, by which each token has a time";
        return new FluidityRule(
                Quantities.lengths(
                        rule.require("promptTokens", "a TTFT limit is bound to a prompt length: name it"), scenario),
                Quantities.time(rule.require("ttftMs", times)),
                Quantities.time(rule.require("itlMs", times)),
                Quantities.share(rule.require("atLeastShare", "name the share, such as 0.95")));
    }
}
