package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.TokenSink;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** A session whose requests do what a test says, on the threads of the load driver. */
final class ScriptedSession extends NumberedSession {

    private final Script script;
    final AtomicInteger running = new AtomicInteger();
    long mostClientErrorNanos;
    BiFunction<Integer, Double, Optional<ClientCalibration>> calibration = (streams, rate) -> Optional.empty();
    Supplier<Optional<ServerMetrics>> counts = Optional::empty;

    /** What a request does before its tokens come. */
    interface Script {
        void run(long number) throws Exception;
    }

    ScriptedSession(int maxConcurrency, LongConsumer prepared, Script script) {
        super(maxConcurrency, prepared);
        this.script = script;
    }

    @Override
    Generation generation(long number, GenerationRequest request) {
        return new Generation() {
            @Override
            public int promptTokens() {
                return request.promptTokens();
            }

            @Override
            public void run(TokenSink sink) throws Exception {
                running.incrementAndGet();
                try {
                    script.run(number);
                    for (int i = 0; i < request.outputTokens(); i++) {
                        sink.token();
                    }
                } finally {
                    running.decrementAndGet();
                }
            }
        };
    }

    @Override
    public Optional<ClientCalibration> calibrate(int streams, double eventsPerSecond, long mostErrorNanos) {
        mostClientErrorNanos = mostErrorNanos;
        return calibration.apply(streams, eventsPerSecond);
    }

    @Override
    public Optional<ServerMetrics> serverMetrics() {
        return counts.get();
    }
}
