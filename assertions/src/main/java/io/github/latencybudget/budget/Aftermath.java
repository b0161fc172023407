package io.github.latencybudget.budget;

import java.util.Arrays;

/**
 * What was measured of a rule after it was decided: a gate goes on where another rule is not. A verdict that holds at every look
 * says nothing about a target that changes after the look, so this takes a PASS back that the rest of the run speaks against. It
 * never gives one.
 *
 * @param samples those after the decision, in their order
 * @param samplesInOne how many successive ones count as one
 */
record Aftermath(Bet bet, double[] samples, int samplesInOne) {

    /** By so many standard errors of all that came after. ADR 22 says what others cost and give. */
    private static final double Z = 0.45;

    /** By so many of its last half and quarter, where a later change hides in the whole: each is a look more. */
    private static final double Z_OF_A_PART = 1.2;

    /** One exceedance alone is no change. */
    private static final double LEAST_EXCEEDANCES = 2;

    /** {@return the mean of the samples after the decision; NaN without one} */
    double mean() {
        return Arrays.stream(samples).average().orElse(Double.NaN);
    }

    /** {@return whether a rule that was shown to hold before is not held by what came after} */
    boolean speaksAgainstHolding() {
        return isBeyond(Z) || last(2).isBeyond(Z_OF_A_PART) || last(4).isBeyond(Z_OF_A_PART);
    }

    private Aftermath last(int part) {
        return new Aftermath(
                bet, Arrays.copyOfRange(samples, samples.length - samples.length / part, samples.length), samplesInOne);
    }

    private boolean isBeyond(double standardErrors) {
        double independent = (double) samples.length / samplesInOne;
        if (independent < 2) {
            return false;
        }
        double excess = mean() - bet.limit();
        return bet.onMean()
                ? excess > standardErrors * Math.sqrt(variance() / independent)
                : mean() * independent >= LEAST_EXCEEDANCES
                        && excess > standardErrors * Math.sqrt(bet.limit() * (1 - bet.limit()) / independent);
    }

    private double variance() {
        double mean = mean();
        return Arrays.stream(samples).map(y -> (y - mean) * (y - mean)).sum() / (samples.length - 1);
    }
}
