package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.NanoClock;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A session whose requests go by their numbers from the first of the warm-up on, on a clock that goes on with each reading. */
abstract class NumberedSession implements TargetSession {

    private final int maxConcurrency;
    private final LongConsumer prepared;
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong warmUps = new AtomicLong();
    final AtomicInteger prepares = new AtomicInteger();

    NumberedSession(int maxConcurrency, LongConsumer prepared) {
        this.maxConcurrency = maxConcurrency;
        this.prepared = prepared;
    }

    /** {@return what is run for a request that was prepared} */
    abstract Generation generation(long number, GenerationRequest request);

    @Override
    public final TargetDescription description() {
        return new TargetDescription("scripted", "none", "fp32", "fake device", "cpu", 4096, new TreeMap<>());
    }

    @Override
    public final Generation prepare(GenerationRequest request) {
        prepares.incrementAndGet();
        long number = running(request.promptNumber());
        prepared.accept(number);
        return generation(number, request);
    }

    /** The prompts of a run have numbers far above those of its warm-up; here they go on from there. */
    private long running(long promptNumber) {
        if (promptNumber < WarmUpPlan.MOST_PROMPTS) {
            warmUps.accumulateAndGet(promptNumber + 1, Math::max);
            return promptNumber;
        }
        return warmUps.get() + promptNumber - WarmUpPlan.MOST_PROMPTS;
    }

    @Override
    public final OptionalLong deviceMemoryBytes() {
        return OptionalLong.empty();
    }

    @Override
    public final NanoClock clock() {
        return () -> nanos.addAndGet(1_000_000);
    }

    @Override
    public final int maxConcurrency() {
        return maxConcurrency;
    }

    @Override
    public final void close() {}
}
