package io.github.latencybudget.junit;

import io.github.latencybudget.trace.Sampling;

/** How the tokens of a gate's run are chosen, which all its budgets have to agree in. */
final class SharedSampling {

    private static final String NO_EFFECT =
            "with `temperature = 0` each token is the most probable one, and this has no effect; set a temperature, or leave it out";

    private final Shared<Double> temperature = new Shared<>("temperature");
    private final Shared<Integer> topK = new Shared<>("topK");
    private final Shared<Double> topP = new Shared<>("topP");
    private final Shared<Double> repetitionPenalty = new Shared<>("repetitionPenalty");

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    Sampling agree(AttributeCheck check, RunAttributes run) {
        return agree(check, run.temperature(), run.topK(), run.topP(), run.repetitionPenalty());
    }

    private Sampling agree(AttributeCheck check, double temperature, int topK, double topP, double repetitionPenalty) {
        check.require(
                temperature == 0 || temperature >= Sampling.LEAST_TEMPERATURE && temperature < Double.POSITIVE_INFINITY,
                "temperature",
                temperature,
                "must be 0 for greedy decoding, or finite and at least " + Sampling.LEAST_TEMPERATURE);
        check.require(topK >= 0, "topK", topK, "must be at least 1, or 0 for all tokens");
        check.require(topP > 0 && topP <= 1, "topP", topP, "must be above 0 and at most 1");
        check.require(
                repetitionPenalty > 0 && repetitionPenalty < Double.POSITIVE_INFINITY,
                "repetitionPenalty",
                repetitionPenalty,
                "must be above 0 and finite; 1 is no penalty");
        check.require(temperature > 0 || topK == 0, "topK", topK, NO_EFFECT);
        check.require(temperature > 0 || topP == 1, "topP", topP, NO_EFFECT);
        this.temperature.agree(check, temperature);
        this.topK.agree(check, topK);
        this.topP.agree(check, topP);
        this.repetitionPenalty.agree(check, repetitionPenalty);
        return value(0);
    }

    /** {@return what they agree in} */
    Sampling value(long seed) {
        return new Sampling(temperature.value(), topK.value(), topP.value(), repetitionPenalty.value(), seed);
    }
}
