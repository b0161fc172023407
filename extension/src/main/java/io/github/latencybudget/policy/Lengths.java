package io.github.latencybudget.policy;

import io.github.latencybudget.budget.PromptLength;

/** Reads the prompt lengths that a rule holds for. */
final class Lengths {

    private static final String ALLOWED =
            "it is a number of tokens, BOS included, or a range such as {atLeast: 129, atMost: 512}";

    private Lengths() {}

    /** @throws PolicyException also where the scenario has no such prompt length: the rule would be about nothing */
    static PromptLength of(Value value, PolicyScenario scenario) {
        PromptLength length = value.isMapping() ? range(value) : PromptLength.exactly(value.wholeNumber(1, ALLOWED));
        value.require(
                scenario.promptTokens().stream().anyMatch(length::includes),
                "the scenario measures prompts of %s tokens, and none of them is meant; add one to `scenario.promptTokens`, or leave the rule out by `without`"
                        .formatted(scenario.promptTokens()));
        return length;
    }

    private static PromptLength range(Value value) {
        Section range = value.section(Vocabulary.LENGTHS);
        value.require(!range.entries().isEmpty(), ALLOWED);
        int least = range.get("atLeast").map(v -> v.wholeNumber(1, ALLOWED)).orElse(1);
        int most = range.get("atMost").map(v -> v.wholeNumber(1, ALLOWED)).orElse(Integer.MAX_VALUE);
        value.require(least <= most, "`atLeast` is above `atMost`; put them in order");
        return PromptLength.between(least, most);
    }
}
