package io.github.latencybudget.budget;

import java.util.Arrays;
import java.util.Optional;

/**
 * Samples of a rule that came after it was decided: a gate goes on where another rule is not. A verdict that holds at every look
 * says nothing about a target that changes after the look, so this takes a PASS back that the rest of the run speaks against. It
 * never gives one.
 *
 * @param samples in their order, up to the end of the run
 * @param samplesInOne how many successive ones count as one
 */
record Aftermath(Bet bet, double[] samples, int samplesInOne) {

    /** By so many samples beyond what is allowed. ADR 22 says what others cost and give. */
    private static final double MANY = 1;

    /** By so many of its last half and quarter, where a later change hides in the whole: each is a look more. */
    private static final double MANY_OF_A_PART = 1.5;

    /** Of a mean, which has no largest sample, by so many standard errors. */
    private static final double Z = 0.45;

    private static final double Z_OF_A_PART = 1.2;

    /** {@return the mean of the samples; NaN without one} */
    double mean() {
        return Arrays.stream(samples).average().orElse(Double.NaN);
    }

    /** {@return the first of these, of their last half and of their last quarter that a rule shown to hold before is not held by} */
    Optional<Aftermath> against() {
        if (isBeyond(MANY, Z)) {
            return Optional.of(this);
        }
        return Optional.of(last(2))
                .filter(Aftermath::isBeyondAsAPart)
                .or(() -> Optional.of(last(4)).filter(Aftermath::isBeyondAsAPart));
    }

    private Aftermath last(int part) {
        return new Aftermath(
                bet, Arrays.copyOfRange(samples, samples.length - samples.length / part, samples.length), samplesInOne);
    }

    private boolean isBeyondAsAPart() {
        return isBeyond(MANY_OF_A_PART, Z_OF_A_PART);
    }

    private boolean isBeyond(double many, double standardErrors) {
        double excess = Arrays.stream(samples).sum() - bet.limit() * samples.length;
        if (!bet.onMean()) {
            return excess > many * samplesInOne;
        }
        return samples.length >= 2 * samplesInOne
                && excess > standardErrors * Math.sqrt(variance() * samples.length * samplesInOne);
    }

    private double variance() {
        double mean = mean();
        return Arrays.stream(samples).map(y -> (y - mean) * (y - mean)).sum() / (samples.length - 1);
    }
}
