package io.github.latencybudget.llama;

import java.util.Map;
import java.util.TreeMap;

/**
 * How far counts are from what a distribution makes one expect.
 *
 * @param value Pearson's statistic, over classes with at least 5 expected counts; the smaller ones are one class
 * @param freedom its degrees of freedom
 * @param impossible how many counts there are where the probability is 0
 */
record ChiSquare(double value, int freedom, int impossible) {

    private static final double LEAST_EXPECTED = 5;

    /** What a standard normal value is above with a probability of 1 in 100,000. */
    private static final double FAR = 4.265;

    static ChiSquare of(int[] counts, Map<Integer, Double> probabilities) {
        int all = 0;
        for (int count : counts) {
            all += count;
        }
        double value = 0;
        int classes = 0;
        int restCount = 0;
        double restExpected = 0;
        int possible = 0;
        for (Map.Entry<Integer, Double> entry : new TreeMap<>(probabilities).entrySet()) {
            double expected = all * entry.getValue();
            int count = counts[entry.getKey()];
            possible += count;
            if (expected >= LEAST_EXPECTED) {
                value += (count - expected) * (count - expected) / expected;
                classes++;
            } else {
                restCount += count;
                restExpected += expected;
            }
        }
        if (restExpected > 0) {
            value += (restCount - restExpected) * (restCount - restExpected) / restExpected;
            classes++;
        }
        return new ChiSquare(value, classes - 1, all - possible);
    }

    /** {@return what the value of draws from the distribution is below in all but one of 100,000 cases, by Wilson and Hilferty} */
    double limit() {
        if (freedom == 0) {
            return 1e-3;
        }
        double step = 2.0 / (9 * freedom);
        return freedom * Math.pow(1 - step + FAR * Math.sqrt(step), 3);
    }
}
