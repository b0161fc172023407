package io.github.latencybudget.load;

import io.github.latencybudget.trace.ThinkTime;
import java.util.SplittableRandom;

/** The think times of a run, one after the other. */
final class ThinkDraw {

    private final ThinkTime time;
    private final SplittableRandom random;

    ThinkDraw(ThinkTime time) {
        this.time = time;
        this.random = new SplittableRandom(time.seed());
    }

    long nextNanos() {
        long mean = time.mean().toNanos();
        return time.distribution() == ThinkTime.Distribution.CONSTANT
                ? mean
                : Math.round(-mean * Math.log(1 - random.nextDouble()));
    }
}
