package io.github.latencybudget.budget;

import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;

/**
 * What a percentile is at best and at worst: the limits between those that are shown to be broken and those that are shown to
 * hold. A confidence sequence, since each is found by a test that may be looked at after every sample.
 *
 * @param samplesInOne how many successive rounds of a chain count as one
 */
record Bounds(Observations observations, Ranking ranking, double allowedShare, double alpha, int samplesInOne) {

    private static final int LOOK_EVERY = 32;

    /** {@return the best value that is shown to hold as a limit; empty where none is} */
    OptionalDouble worst() {
        int rank = firstRank(true);
        return rank > ranking.size() ? OptionalDouble.empty() : OptionalDouble.of(ranking.at(rank));
    }

    /** {@return the worst value for which all better limits are shown to be broken; empty where there is none} */
    OptionalDouble best() {
        int rank = firstRank(false) - 1;
        return rank < 1 ? OptionalDouble.empty() : OptionalDouble.of(ranking.at(rank));
    }

    /**
     * The first rank whose value is shown to hold, or the first of which it is not shown that all better limits are broken. What
     * holds at a limit holds at worse ones, and what is broken at one is at better ones.
     */
    private int firstRank(boolean isToHold) {
        Observations.Search search = observations.new Search();
        int low = 1;
        int high = ranking.size() + 1;
        // Most bounds of many samples are as near to the percentile as this, on the side that is looked at.
        int near = (int) (3 * ranking.size() * Math.sqrt(allowedShare * (1 - allowedShare) / observations.requests()));
        int expected = (int) ((1 - allowedShare) * ranking.size());
        int[] first = {expected, isToHold ? expected + near : expected - near};
        for (int step = 0; low < high; step++) {
            int middle = step < 2 && low <= first[step] && first[step] < high ? first[step] : (low + high) >>> 1;
            double value = ranking.at(middle);
            boolean isThere = isToHold
                    ? isReached(search, value, () -> ShareCapital.onLessThan(allowedShare))
                    : !isReached(search, justBetter(value), () -> ShareCapital.onMoreThan(allowedShare));
            if (isThere) {
                high = middle;
            } else {
                low = middle + 1;
            }
            if (isThere == ranking.lessIsBetter()) {
                search.below();
            } else {
                search.above();
            }
        }
        return low;
    }

    private double justBetter(double value) {
        return ranking.lessIsBetter() ? Math.nextDown(value) : Math.nextUp(value);
    }

    private boolean isReached(Observations.Search search, double limit, Supplier<Capital> start) {
        search.at(limit);
        // No further than it takes: far from the bound that is soon.
        return isReached(
                observations.rounds(), last -> search.next(), start, observations.chains(), samplesInOne, alpha);
    }

    /**
     * {@return whether a gambler ever has enough}
     *
     * @param rounds how many samples there are
     * @param sample the sample at a place; asked once for each, in their order, and no further than it takes
     */
    static boolean isReached(
            int rounds,
            IntToDoubleFunction sample,
            Supplier<Capital> start,
            int chains,
            int samplesInOne,
            double alpha) {
        // Where each sample counts alone, none has to be remembered.
        double[] samples = new double[samplesInOne == 1 ? 0 : rounds];
        Chains capital = new Chains(chains, start);
        double enough = 1 / alpha;
        for (int last = 0; last < rounds; last++) {
            double next = sample.applyAsDouble(last);
            if (samplesInOne > 1) {
                samples[last] = next;
                if ((last / chains + 1) % samplesInOne != 0) {
                    continue;
                }
                next = Fold.mean(samples, last, samplesInOne, samplesInOne, chains, 0);
            }
            if (capital.bet(next) >= enough) {
                return true;
            }
            // What is lost stays lost, so to look now and then is soon enough.
            if (last % LOOK_EVERY == 0 && capital.isLost()) {
                return false;
            }
        }
        return false;
    }
}
