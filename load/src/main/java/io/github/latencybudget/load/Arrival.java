package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request of an open loop from when it is planned until it is sent, dropped or called off. */
final class Arrival {

    private final Request request;
    private final long offsetNanos;
    private boolean isBegun;
    private boolean isCalledOff;
    private @Nullable Generation generation;

    /** @param offsetNanos when it is due, since the start of the schedule */
    Arrival(Request request, long offsetNanos) {
        this.request = request;
        this.offsetNanos = offsetNanos;
    }

    Request request() {
        return request;
    }

    long offsetNanos() {
        return offsetNanos;
    }

    /** Notes that it is being made ready, or soon will be. */
    void begin() {
        isBegun = true;
    }

    boolean isBegun() {
        return isBegun;
    }

    /**
     * Makes it ready, unless it was called off.
     *
     * @param ready told once there is what it waits for, too
     */
    void prepare(Runnable ready) {
        synchronized (this) {
            if (isCalledOff) {
                return;
            }
        }
        Generation made = request.generation().get();
        boolean isTooLate;
        synchronized (this) {
            isTooLate = isCalledOff;
            generation = isTooLate ? null : made;
        }
        if (isTooLate) {
            made.discard();
        } else {
            made.ready().whenComplete((nothing, thrown) -> ready.run());
        }
    }

    /** {@return whether it can be sent} What it waits for it then waits for within its time. */
    synchronized boolean isReady() {
        return generation != null;
    }

    /** {@return whether it can be sent and waits for nothing} */
    synchronized boolean isComplete() {
        return generation != null && generation.ready().isDone();
    }

    /** {@return what is to be sent; once} */
    synchronized Generation take() {
        Generation ready = Objects.requireNonNull(generation);
        generation = null;
        return ready;
    }

    /** Gives back what was made ready for it, now or once that is. */
    void callOff() {
        Generation ready;
        synchronized (this) {
            isCalledOff = true;
            ready = generation;
            generation = null;
        }
        if (ready != null) {
            ready.discard();
        }
    }
}
