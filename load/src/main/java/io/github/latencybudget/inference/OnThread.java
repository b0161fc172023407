package io.github.latencybudget.inference;

import io.github.latencybudget.trace.TokenSink;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs a generation that can only be waited for on a thread of its own. */
final class OnThread {

    private OnThread() {}

    static CompletableFuture<@Nullable Void> start(Generation generation, TokenSink sink) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        generation.run(sink);
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                },
                "latency-budget request");
        thread.setDaemon(true);
        done.whenComplete((nothing, thrown) -> {
            if (done.isCancelled()) {
                thread.interrupt();
            }
        });
        thread.start();
        return done;
    }
}
