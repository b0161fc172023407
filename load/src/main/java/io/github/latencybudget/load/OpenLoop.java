package io.github.latencybudget.load;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests when they are due, however slow the target is. One thread, the caller's, does all of it: requests are made ready by
 * others some time before, the target's own thread tells of their ends, and what is learnt from them is for a third. For one run.
 */
final class OpenLoop {

    /** How long before they are due requests are made ready. A server closes a connection that is idle for some seconds. */
    static final long AHEAD_NANOS = 1_000_000_000;

    /** How many are ready or being made so, at most, beside those in flight. */
    private static final int MOST_AHEAD = 256;

    private final Limits limits;
    private final NanoClock clock;
    private final Sending sending;
    private final Threads threads;
    private final Deque<Arrival> planned = new ArrayDeque<>();
    private final Deque<Arrival> notBegun = new ArrayDeque<>();
    private final Deque<Arrival> queued = new ArrayDeque<>();
    private final Set<Sending.Sent> inFlight = ConcurrentHashMap.newKeySet();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger unlearnt = new AtomicInteger();
    private final EndedRequests ended;
    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
    private volatile boolean isSignalWanted;
    private volatile boolean isStopped;
    private boolean isPlanned;
    private int ready;
    private long startNanos;

    /**
     * How much there may be at a time.
     *
     * @param inFlight how many requests may be in flight
     * @param queued how many that are due may wait
     * @param held how many the target can have between prepare and end, at least as many as may be in flight
     * @param nanos since the start of the schedule; what is due later is no part of the run
     */
    record Limits(int inFlight, int queued, int held, long nanos) {}

    /**
     * Who does the work around it.
     *
     * @param preparing makes requests ready
     * @param learning takes what came of them, one after the other
     * @param pause waits
     */
    record Threads(Executor preparing, Executor learning, Pause pause) {}

    /** @param ended takes each request as soon as it is over */
    OpenLoop(Limits limits, NanoClock clock, Threads threads, EndedRequests ended) {
        this.limits = limits;
        this.clock = clock;
        this.sending = new Sending(clock);
        this.threads = threads;
        this.ended = ended;
    }

    /**
     * Runs requests until there is no next one, or it is due too late. Where the caller is interrupted, what is in flight is called off
     * and is a failed request, what waits is no part of the run, and the caller stays interrupted.
     *
     * @param schedule gives when each is due, since the start
     * @param next the next request; asked some time before it is due
     */
    void run(LongSupplier schedule, Supplier<Optional<Request>> next) {
        Supplier<Optional<Arrival>> arrivals = () -> arrival(schedule, next);
        try {
            startNanos = clock.nanos();
            plan(arrivals);
            awaitReady();
            startNanos = clock.nanos();
            while (!isOver()) {
                step(arrivals);
            }
        } finally {
            stop();
        }
        Throwable thrown = broken.get();
        if (thrown != null && !Thread.currentThread().isInterrupted()) {
            throw Broken.unchecked(thrown);
        }
    }

    private boolean isOver() {
        return broken.get() != null
                || Thread.currentThread().isInterrupted()
                || isPlanned && planned.isEmpty() && queued.isEmpty() && isQuiet();
    }

    /** {@return whether nothing is in flight, and all is learnt from what was} What is learnt last may break the run too. */
    private boolean isQuiet() {
        // In this order: what is no longer in flight is counted as unlearnt before.
        return sent.get() == 0 && unlearnt.get() == 0;
    }

    private Optional<Arrival> arrival(LongSupplier schedule, Supplier<Optional<Request>> next) {
        long offset = schedule.getAsLong();
        return offset >= limits.nanos() ? Optional.empty() : next.get().map(r -> new Arrival(r, offset));
    }

    /** One thing at a time, and what is due longest first. */
    private void step(Supplier<Optional<Arrival>> arrivals) {
        plan(arrivals);
        Arrival first = queued.peek();
        if (first != null && sent.get() < limits.inFlight() && first.isReady()) {
            send(queued.remove());
            return;
        }
        Arrival due = planned.peek();
        if (due != null && due(due) - clock.nanos() <= 0) {
            admit(planned.remove());
            return;
        }
        pause(first, due);
    }

    private void pause(@Nullable Arrival first, @Nullable Arrival due) {
        isSignalWanted = true;
        // Whatever happened before the flag was seen gave no signal.
        boolean isNews = broken.get() != null
                || first != null && sent.get() < limits.inFlight() && first.isReady()
                || due == null && queued.isEmpty() && isQuiet()
                || canBegin();
        if (!isNews && due != null) {
            threads.pause().until(wakeUp(due));
        } else if (!isNews) {
            threads.pause().untilSignalled();
        }
        isSignalWanted = false;
    }

    private long wakeUp(Arrival due) {
        Arrival next = notBegun.peek();
        // One that waits for room in the target, and not for its time, is no reason to wake up.
        return next == null || isSoon(next) || due(next) - AHEAD_NANOS - due(due) >= 0
                ? due(due)
                : due(next) - AHEAD_NANOS;
    }

    private long due(Arrival arrival) {
        return startNanos + arrival.offsetNanos();
    }

    /** Plans what is due next, and has made ready what soon is. */
    private void plan(Supplier<Optional<Arrival>> arrivals) {
        while (!isPlanned && (planned.isEmpty() || planned.size() < MOST_AHEAD && isSoon(planned.getLast()))) {
            arrivals.get().ifPresentOrElse(this::add, () -> isPlanned = true);
        }
        while (canBegin()) {
            Arrival arrival = notBegun.remove();
            arrival.begin();
            held.incrementAndGet();
            ready++;
            threads.preparing().execute(() -> prepare(arrival));
        }
    }

    private void add(Arrival arrival) {
        planned.add(arrival);
        notBegun.add(arrival);
    }

    private boolean canBegin() {
        return !notBegun.isEmpty() && held.get() < limits.held() && ready < MOST_AHEAD && isSoon(notBegun.element());
    }

    private boolean isSoon(Arrival arrival) {
        return due(arrival) - clock.nanos() <= AHEAD_NANOS;
    }

    private void prepare(Arrival arrival) {
        try {
            arrival.prepare(this::signal);
        } catch (Throwable e) {
            broken.compareAndSet(null, e);
        }
        signal();
    }

    /** So that the first requests are not late by what it takes to make them ready. */
    private void awaitReady() {
        isSignalWanted = true;
        while (broken.get() == null
                && !Thread.currentThread().isInterrupted()
                && planned.stream().anyMatch(a -> a.isBegun() && !a.isComplete())) {
            threads.pause().untilSignalled();
        }
        isSignalWanted = false;
    }

    private void admit(Arrival arrival) {
        // One that only waits to be ready, while there is room in flight, does not stand in the queue.
        if (queued.size() < (long) limits.queued() + limits.inFlight() - sent.get()) {
            queued.add(arrival);
            return;
        }
        Request request = arrival.request();
        release(arrival);
        end(
                request,
                new TokenTrace(
                        request.number(),
                        request.promptTokens(),
                        request.outputTokens(),
                        due(arrival),
                        Chunks.ofOneToken(new long[0]),
                        Outcome.DROPPED,
                        String.format(
                                Locale.ROOT,
                                "it was due when %d request%s in flight and the queue of %d was full",
                                limits.inFlight(),
                                limits.inFlight() == 1 ? " was" : "s were",
                                limits.queued())));
    }

    private void send(Arrival arrival) {
        ready--;
        sent.incrementAndGet();
        Request request = arrival.request();
        request.started().run();
        Sending.Sent on = sending.start(arrival.take(), request, OptionalLong.of(due(arrival)));
        inFlight.add(on);
        on.trace().thenAccept(trace -> {
            inFlight.remove(on);
            held.decrementAndGet();
            end(request, trace);
            sent.decrementAndGet();
            signal();
        });
    }

    private void end(Request request, TokenTrace trace) {
        ended.add(trace);
        if (!isStopped) {
            unlearnt.incrementAndGet();
            threads.learning().execute(() -> learn(request, trace));
        }
    }

    private void learn(Request request, TokenTrace trace) {
        try {
            request.ended().accept(trace);
        } catch (Throwable e) {
            broken.compareAndSet(null, e);
        }
        if (unlearnt.decrementAndGet() == 0 && sent.get() == 0 || broken.get() != null) {
            signal();
        }
    }

    private void release(Arrival arrival) {
        if (arrival.isBegun()) {
            ready--;
            held.decrementAndGet();
        } else {
            notBegun.remove(arrival);
        }
        arrival.callOff();
    }

    private void signal() {
        if (isSignalWanted) {
            threads.pause().signal();
        }
    }

    private void stop() {
        isStopped = true;
        inFlight.forEach(on -> on.done().cancel(true));
        planned.forEach(Arrival::callOff);
        queued.forEach(Arrival::callOff);
    }
}
