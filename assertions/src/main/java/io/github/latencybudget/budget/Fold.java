package io.github.latencybudget.budget;

/** Makes one sample of several successive ones of a chain, which resemble one another. */
final class Fold {

    private Fold() {}

    /**
     * {@return the sum of the last ones over how many make one}
     *
     * @param last the place of the last
     * @param count how many of the chain, the last included; fewer than make one where the others are still to come
     * @param inOne how many make one
     * @param chains from one of a chain to its next
     */
    static double mean(double[] shares, int last, int count, int inOne, int chains) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += shares[last - i * chains];
        }
        return sum / inOne;
    }
}
