package io.github.latencybudget.budget;

/**
 * The capital of a gambler who starts with 1 and bets against a hypothesis, sample by sample. If it is true, the capital does not
 * grow on average, and the probability that it ever reaches {@code c} is at most {@code 1 / c} (Ville 1939), however often one
 * looks.
 */
sealed interface Capital permits ShareCapital, MeanAboveCapital, MeanBelowCapital {

    /**
     * Bets on the next sample.
     *
     * @return the capital after it
     */
    double bet(double sample);

    /** {@return the capital after so many further samples of this value} */
    double after(int samples, double each);

    /** {@return whether no further sample makes it grow any more} */
    default boolean isLost() {
        return false;
    }

    /** {@return the same capital, to be bet further by itself} */
    Capital copy();
}
