package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.TruncatedOutputException;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Sends one request, and makes a trace of whatever becomes of it. */
final class Sending {

    private final NanoClock clock;

    /** @param clock that of the session */
    Sending(NanoClock clock) {
        this.clock = clock;
    }

    /** Sends it and waits for its end. */
    TokenTrace run(Generation generation, Request request, TokenRecorder recorder) {
        recorder.start(request.number(), generation.promptTokens(), request.outputTokens(), true);
        RequestSink sink = new RequestSink(recorder);
        Throwable thrown = null;
        try {
            generation.run(sink);
        } catch (Throwable e) {
            // A request may break in any way, an OutOfMemoryError or a missing native symbol included. What was
            // measured
            // before it has to be kept, so nothing but the end of the JVM passes.
            thrown = e;
        }
        sink.end();
        TokenTrace trace = trace(recorder, thrown);
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return trace;
    }

    /**
     * Sends it and returns at once.
     *
     * @param dueNanos when it was due; empty in a closed loop
     */
    Sent start(Generation generation, Request request, OptionalLong dueNanos) {
        TokenRecorder recorder = new TokenRecorder(clock, request.outputTokens());
        if (dueNanos.isPresent()) {
            recorder.startScheduled(
                    request.number(), generation.promptTokens(), request.outputTokens(), true, dueNanos.getAsLong());
        } else {
            recorder.start(request.number(), generation.promptTokens(), request.outputTokens(), true);
        }
        RequestSink sink = new RequestSink(recorder);
        CompletableFuture<@Nullable Void> done;
        try {
            done = generation.start(sink);
        } catch (Throwable e) {
            done = CompletableFuture.failedFuture(e);
        }
        return new Sent(done, done.handle((nothing, thrown) -> {
            sink.end();
            return trace(recorder, thrown);
        }));
    }

    /**
     * A request on its way.
     *
     * @param done what the target completes; to cancel it ends the request
     * @param trace what became of it; never fails
     */
    record Sent(CompletableFuture<@Nullable Void> done, CompletableFuture<TokenTrace> trace) {}

    private TokenTrace trace(TokenRecorder recorder, @Nullable Throwable thrown) {
        long over = clock.nanos();
        return ended(recorder, thrown).endedAt(over);
    }

    private static TokenTrace ended(TokenRecorder recorder, @Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException e && e.getCause() != null ? e.getCause() : thrown;
        if (cause == null) {
            return recorder.end();
        }
        if (cause instanceof TruncatedOutputException) {
            return recorder.truncated(String.valueOf(cause.getMessage()));
        }
        if (cause instanceof InterruptedException || cause instanceof CancellationException) {
            return recorder.fail("interrupted");
        }
        return recorder.fail(cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage());
    }
}
