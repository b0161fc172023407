package io.github.latencybudget.load;

import org.apiguardian.api.API;

/**
 * When a prompt length counts as warm: the last three runs agree in TTFT and in the mean gap.
 *
 * @param tolerance how far the three may lie apart, as a share of their median
 * @param toleranceFloorNanos a distance that is always close enough, in nanoseconds: below it, differences do not matter to a
 *     limit in milliseconds
 * @param maxRuns how many runs to try at each prompt length, at least 3
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record WarmUpPlan(double tolerance, long toleranceFloorNanos, int maxRuns) {

    /** Within 25% or 2 ms, in at most 100 runs: on a busy machine it takes a while until three in a row agree. */
    public static final WarmUpPlan DEFAULT = new WarmUpPlan(0.25, 2_000_000, 100);

    /**
     * How far from the first prompt of a warm-up the first of its run is, so that one scenario has the same prompts on every target
     * however long its warm-up takes.
     */
    static final long MOST_PROMPTS = 500_000;
}
