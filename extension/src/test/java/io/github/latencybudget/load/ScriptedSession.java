package io.github.latencybudget.load;

import io.github.latencybudget.target.Generation;
import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.TokenSink;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** A session whose requests do what a test says, by their numbers from the first of the warm-up on, on a clock that goes on with each reading. */
final class ScriptedSession implements TargetSession {

    private final int maxConcurrency;
    private final LongConsumer prepared;
    private final Script script;
    private final AtomicLong nanos = new AtomicLong();
    private final RunningNumbers numbers = new RunningNumbers();
    final AtomicInteger prepares = new AtomicInteger();
    final AtomicInteger running = new AtomicInteger();
    long mostClientErrorNanos;
    BiFunction<Integer, Double, Optional<ClientCalibration>> calibration = (streams, rate) -> Optional.empty();
    Supplier<Optional<ServerMetrics>> counts = Optional::empty;

    /** What a request does before its tokens come. */
    interface Script {
        void run(long number) throws Exception;
    }

    ScriptedSession(int maxConcurrency, LongConsumer prepared, Script script) {
        this.maxConcurrency = maxConcurrency;
        this.prepared = prepared;
        this.script = script;
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
    public OptionalLong deviceMemoryBytes() {
        return OptionalLong.empty();
    }

    @Override
    public NanoClock clock() {
        return () -> nanos.addAndGet(1_000_000);
    }

    @Override
    public int maxConcurrency() {
        return maxConcurrency;
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

    @Override
    public void close() {}
}
