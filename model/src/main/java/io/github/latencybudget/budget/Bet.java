package io.github.latencybudget.budget;

/**
 * What is bet on to decide a rule: that the mean of the samples is below a limit, and that it is above.
 *
 * @param onMean whether the samples are values of any size, else shares in [0, 1]
 * @param limit of the mean: the allowed share, or a value
 */
record Bet(boolean onMean, double limit) {

    /** On the mean of shares in [0, 1]. */
    static Bet onShare(double allowed) {
        return new Bet(false, allowed);
    }

    /** On the mean of values from 0 on. */
    static Bet onMean(double limit) {
        return new Bet(true, limit);
    }

    /** {@return the same bet about another limit} */
    Bet at(double otherLimit) {
        return new Bet(onMean, otherLimit);
    }

    Capital toHold() {
        return onMean ? new MeanBelowCapital(limit) : ShareCapital.onLessThan(limit);
    }

    Capital toBeBroken() {
        return onMean ? new MeanAboveCapital(limit) : ShareCapital.onMoreThan(limit);
    }
}
