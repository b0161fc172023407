package io.github.latencybudget.load;

import io.github.latencybudget.trace.NanoClock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** Time that goes on only where an open loop waits, from one thing that happens to the next. For one thread. */
final class VirtualTime implements Pause {

    private final Queue<Event> events =
            new PriorityQueue<>(Comparator.comparing(Event::nanos).thenComparing(Event::number));
    private long now;
    private int number;
    private boolean isSignalled;

    private record Event(long nanos, int number, Runnable what) {}

    NanoClock clock() {
        return () -> now;
    }

    /** Has something happen later. */
    void in(long nanos, Runnable what) {
        events.add(new Event(now + nanos, number++, what));
    }

    /** Lets time go by for whoever runs, as a client that is busy does. */
    void pass(long nanos) {
        now += nanos;
    }

    @Override
    public void until(long nanos) {
        while (!isOver() && !events.isEmpty() && events.peek().nanos() <= nanos) {
            next();
        }
        if (!isOver()) {
            now = Math.max(now, nanos);
        }
        isSignalled = false;
    }

    @Override
    public void untilSignalled() {
        while (!isOver()) {
            if (events.isEmpty()) {
                throw new AssertionError("nothing will happen any more, and somebody waits for it");
            }
            next();
        }
        isSignalled = false;
    }

    private void next() {
        Event event = events.remove();
        now = Math.max(now, event.nanos());
        event.what().run();
    }

    private boolean isOver() {
        return isSignalled || Thread.currentThread().isInterrupted();
    }

    @Override
    public void signal() {
        isSignalled = true;
    }
}
