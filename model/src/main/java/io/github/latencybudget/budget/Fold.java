package io.github.latencybudget.budget;

/** Makes one sample of several successive ones of a chain, which resemble one another. */
final class Fold {

    private Fold() {}

    /**
     * {@return the mean of the last ones, and of what those still to come are, over how many make one}
     *
     * @param last the place of the last
     * @param count how many of the chain, the last included; fewer than make one where the others are still to come
     * @param inOne how many make one
     * @param rest what each of those still to come is
     * @param chains from one of a chain to its next
     */
    static double mean(double[] shares, int last, int count, int inOne, int chains, double rest) {
        double sum = (inOne - count) * rest;
        for (int i = 0; i < count; i++) {
            sum += shares[last - i * chains];
        }
        return sum / inOne;
    }
}
