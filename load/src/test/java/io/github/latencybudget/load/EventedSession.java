package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.trace.TokenSink;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A session that needs no thread per request. */
final class EventedSession extends NumberedSession {

    private static final int MOST_IN_FLIGHT = 10_000;

    private final Server server;
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger mostInFlight = new AtomicInteger();

    /** Takes a request; it is over once the work was done, on whichever thread. */
    interface Server {
        void take(long number, Runnable answer);
    }

    final AtomicInteger discarded = new AtomicInteger();
    LongFunction<CompletableFuture<@Nullable Void>> ready = number -> CompletableFuture.completedFuture(null);

    EventedSession(LongConsumer prepared, Server server) {
        super(MOST_IN_FLIGHT, prepared);
        this.server = server;
    }

    @Override
    Generation generation(long number, GenerationRequest request) {
        CompletableFuture<@Nullable Void> isReady = ready.apply(number);
        return new Generation() {
            @Override
            public int promptTokens() {
                return request.promptTokens();
            }

            @Override
            public CompletableFuture<@Nullable Void> ready() {
                return isReady;
            }

            @Override
            public void discard() {
                discarded.incrementAndGet();
            }

            @Override
            public void run(TokenSink sink) throws Exception {
                start(sink).get();
            }

            @Override
            public CompletableFuture<@Nullable Void> start(TokenSink sink) {
                CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
                mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                AtomicBoolean isOver = new AtomicBoolean();
                // Before anybody hears of the end, for the next one may be sent at once.
                Runnable over = () -> inFlight.addAndGet(isOver.getAndSet(true) ? 0 : -1);
                done.whenComplete((nothing, thrown) -> over.run());
                server.take(number, () -> {
                    if (!done.isDone()) {
                        for (int i = 0; i < request.outputTokens(); i++) {
                            sink.token();
                        }
                        over.run();
                        done.complete(null);
                    }
                });
                return done;
            }
        };
    }

    @Override
    public boolean isEventDriven() {
        return true;
    }
}
