package io.github.latencybudget.budget;

/**
 * Between which ranks a median lies. The number of values that lie below the median of independent samples is binomial; where
 * their distribution changes meanwhile, it is nearer to its mean still (W. Hoeffding, <i>On the distribution of the number of
 * successes in independent trials</i>, 1956), so that the bounds hold for a third of a run that drifts within it.
 *
 * @param values how many values there are
 * @param samples how many independent samples they are worth
 * @param alpha how often each of the two may be wrong
 */
record MedianRanks(int values, int samples, double alpha) {

    /** {@return whether the samples are enough for bounds} */
    boolean exist() {
        return below() > 0;
    }

    /** {@return the rank, from 1, of a value that the median is at least} */
    int lower() {
        return (int) ((long) values * (below() - 1) / samples) + 1;
    }

    /** {@return the rank, from 1, of a value that the median is at most} */
    int upper() {
        return values + 1 - lower();
    }

    /** {@return the largest k for which fewer than k samples below the median are so improbable} */
    private int below() {
        // Binomial probabilities of a half; by logarithms, since the first ones are too small for a double.
        double log = -samples * Math.log(2);
        double sum = 0;
        for (int k = 0; k <= samples / 2; k++) {
            sum += Math.exp(log);
            if (sum > alpha) {
                return k;
            }
            log += Math.log((samples - k) / (k + 1.0));
        }
        return samples / 2;
    }
}
