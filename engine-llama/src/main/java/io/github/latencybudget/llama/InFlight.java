package io.github.latencybudget.llama;

import io.github.latencybudget.trace.NanoClock;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** A sequence on its way, and who waits for it. Made and cancelled by the one who waits, the rest is the scheduler's. */
final class InFlight {

    private final Sequence sequence;
    private final int number;
    private final LongConsumer token;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final long sinceNanos = NanoClock.SYSTEM.nanos();
    private volatile boolean cancelled;

    /**
     * @param number what the steps call it
     * @param token told of every output id
     */
    InFlight(Sequence sequence, int number, LongConsumer token) {
        this.sequence = sequence;
        this.number = number;
        this.token = token;
    }

    Sequence sequence() {
        return sequence;
    }

    int number() {
        return number;
    }

    /** {@return when it was asked for} */
    long sinceNanos() {
        return sinceNanos;
    }

    LongConsumer token() {
        return token;
    }

    /** {@return what is complete once the sequence has left, with the failure that it left for} */
    CompletableFuture<Void> end() {
        return end;
    }

    /** Asks for it to leave before the next step. */
    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }
}
