package io.github.latencybudget.load;

import io.github.latencybudget.target.Generation;
import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenSink;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A target that needs no thread per request, on a clock that goes on with each reading. */
final class EventedSession implements TargetSession {

    private final LongConsumer prepared;
    private final Server server;
    private final AtomicLong nanos = new AtomicLong();
    private final RunningNumbers numbers = new RunningNumbers();
    final AtomicInteger prepares = new AtomicInteger();
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger mostInFlight = new AtomicInteger();

    /** Takes a request; it is over once the work was done, on whichever thread. */
    interface Server {
        void take(long number, Runnable answer);
    }

    final AtomicInteger discarded = new AtomicInteger();
    LongFunction<CompletableFuture<@Nullable Void>> ready = number -> CompletableFuture.completedFuture(null);

    EventedSession(LongConsumer prepared, Server server) {
        this.prepared = prepared;
        this.server = server;
    }

    @Override
    public TargetDescription description() {
        return new TargetDescription("scripted", "none", "fp32", "fake device", "cpu", 4096, new TreeMap<>());
    }

    @Override
    public Generation prepare(GenerationRequest request) {
        prepares.incrementAndGet();
        long number = numbers.of(request.promptNumber());
        prepared.accept(number);
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
    public OptionalLong deviceMemoryBytes() {
        return OptionalLong.empty();
    }

    @Override
    public NanoClock clock() {
        return () -> nanos.addAndGet(1_000_000);
    }

    @Override
    public int maxConcurrency() {
        return 10_000;
    }

    @Override
    public boolean isEventDriven() {
        return true;
    }

    @Override
    public void close() {}
}
