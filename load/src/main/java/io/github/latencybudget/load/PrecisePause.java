package io.github.latencybudget.load;

import io.github.latencybudget.trace.NanoClock;
import java.util.concurrent.locks.LockSupport;

/**
 * Sleeps until shortly before the time, then watches the clock. A sleep is late by some 50 microseconds on Linux; to watch takes a
 * core, so it may take no more than a tenth of the time between two requests.
 */
final class PrecisePause implements Pause {

    private static final long MOST_WATCHED_NANOS = 100_000;
    private static final double MOST_WATCHED_SHARE = 0.1;
    private static final double NANOS_PER_SECOND = 1e9;

    private final NanoClock clock;
    private final Thread waiting;
    private final long watchedNanos;
    private volatile boolean isSignalled;

    /** @param requestsPerSecond the highest rate that is waited for */
    PrecisePause(NanoClock clock, Thread waiting, double requestsPerSecond) {
        this.clock = clock;
        this.waiting = waiting;
        this.watchedNanos =
                (long) Math.min(MOST_WATCHED_NANOS, MOST_WATCHED_SHARE * NANOS_PER_SECOND / requestsPerSecond);
    }

    @Override
    public void until(long nanos) {
        long left = nanos - clock.nanos();
        while (left > 0 && !isSignalled && !waiting.isInterrupted()) {
            if (left > watchedNanos) {
                LockSupport.parkNanos(this, left - watchedNanos);
            } else {
                Thread.onSpinWait();
            }
            left = nanos - clock.nanos();
        }
        isSignalled = false;
    }

    @Override
    public void untilSignalled() {
        while (!isSignalled && !waiting.isInterrupted()) {
            LockSupport.park(this);
        }
        isSignalled = false;
    }

    @Override
    public void signal() {
        isSignalled = true;
        LockSupport.unpark(waiting);
    }
}
