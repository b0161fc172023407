package io.github.latencybudget.budget;

/**
 * Looks after every sample whether a rule was shown to hold or to be broken. The probability of ever showing one that is not so
 * is at most {@code alpha} for each of the two: see {@link Capital}.
 */
final class SequentialTest {

    private final double enough;
    private final Chains toHold;
    private final Chains toBeBroken;
    private int samples;
    private int holdsAfter;
    private int brokenAfter;

    /** @param chains how many successive samples may share a moment */
    SequentialTest(Bet bet, double alpha, int chains) {
        this.enough = 1 / alpha;
        this.toHold = new Chains(chains, bet::toHold);
        this.toBeBroken = new Chains(chains, bet::toBeBroken);
    }

    /** @param y the next sample: the share of it that lies beyond the limit, or its mean */
    void add(double y) {
        samples++;
        // What was shown stays shown, so there is no need to go on betting on it.
        if (holdsAfter == 0 && toHold.bet(y) >= enough) {
            holdsAfter = samples;
        }
        if (brokenAfter == 0 && toBeBroken.bet(y) >= enough) {
            brokenAfter = samples;
        }
    }

    int samples() {
        return samples;
    }

    /** {@return after how many samples the rule was shown to hold; 0 where it was not} */
    int holdsAfter() {
        return holdsAfter;
    }

    /** {@return after how many samples the rule was shown to be broken; 0 where it was not} */
    int brokenAfter() {
        return brokenAfter;
    }

    /** {@return after how many samples the first of the two was shown; 0 where neither was} */
    int decidedAfter() {
        return holdsAfter == 0 || brokenAfter == 0 ? holdsAfter + brokenAfter : Math.min(holdsAfter, brokenAfter);
    }

    /**
     * {@return how many samples, those there are included, would show the rule to hold}
     *
     * @param each what the further samples are
     * @param next the next samples, before these
     */
    int samplesToHold(double each, double... next) {
        if (holdsAfter > 0) {
            return holdsAfter;
        }
        Chains chains = toHold.copy();
        for (double y : next) {
            if (chains.bet(y) >= enough) {
                return chains.bets();
            }
        }
        int low = 1;
        int high = 1;
        while (chains.after(high, each) < enough) {
            if (high > Integer.MAX_VALUE / 2) {
                return Integer.MAX_VALUE;
            }
            low = high + 1;
            high *= 2;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (chains.after(middle, each) >= enough) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, (long) chains.bets() + low);
    }
}
