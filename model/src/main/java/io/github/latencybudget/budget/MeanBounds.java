package io.github.latencybudget.budget;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.DoublePredicate;
import java.util.function.Supplier;

/**
 * What a mean is at least and at most: the limits between those that are shown to be broken and those that are shown to hold. Each
 * capital only grows as its limit moves away from the samples, so one search finds each bound.
 *
 * @param bet on a mean, about whatever limit
 * @param chains how many successive samples may share a moment
 * @param samplesInOne how many successive samples of a chain count as one
 */
record MeanBounds(Bet bet, double[] samples, int chains, int samplesInOne, double alpha) {

    /** So near to one another two limits are the same. */
    private static final double NEAR = 1e-12;

    private static final int MOST_DOUBLINGS = 60;

    /** {@return the least limit that is shown to hold; empty where none is} */
    OptionalDouble upper() {
        DoublePredicate isShown = limit -> isReached(() -> bet.at(limit).toHold());
        double mean = Arrays.stream(samples).average().orElse(0);
        double high = mean;
        if (!bet.onMean()) {
            high = 1 - NEAR;
        } else {
            for (int i = 0; i < MOST_DOUBLINGS && !isShown.test(high); i++) {
                high *= 2;
            }
        }
        return isShown.test(high)
                ? OptionalDouble.of(between(0, high, limit -> !isShown.test(limit)))
                : OptionalDouble.empty();
    }

    /** {@return the greatest limit that is shown to be broken; empty where none is} */
    OptionalDouble lower() {
        DoublePredicate isShown = limit -> isReached(() -> bet.at(limit).toBeBroken());
        double high = bet.onMean() ? Arrays.stream(samples).max().orElse(0) : 1 - NEAR;
        double low = high * NEAR;
        return low > 0 && isShown.test(low) ? OptionalDouble.of(between(low, high, isShown)) : OptionalDouble.empty();
    }

    private boolean isReached(Supplier<Capital> start) {
        return Bounds.isReached(samples.length, i -> samples[i], start, chains, samplesInOne, alpha);
    }

    /** {@return where it begins not to be so, for limits from a low one on} */
    private static double between(double low, double high, DoublePredicate isLow) {
        double from = low;
        double to = high;
        while (to - from > NEAR * to) {
            double middle = from + (to - from) / 2;
            if (isLow.test(middle)) {
                from = middle;
            } else {
                to = middle;
            }
        }
        return to;
    }
}
