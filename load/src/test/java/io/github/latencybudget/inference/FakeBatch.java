package io.github.latencybudget.inference;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.TokenSink;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An engine that runs only when as many requests as it takes are in flight at once: it then takes their prompts one by one, in
 * the order of their numbers, and decodes all of them together. So every time is known although threads race, and who has fewer
 * in flight waits in vain. The device works on each step for all but a tenth of it.
 */
final class FakeBatch {

    private static final long PATIENCE_SECONDS = 20;

    private final AtomicLong nanos;
    private final long prefillNanos;
    private final long decodeNanos;
    private final CyclicBarrier full;
    private final List<Submitted> batch = new ArrayList<>();
    private final List<EngineStep> steps = new ArrayList<>();

    private record Submitted(GenerationRequest request, TokenSink sink) {
        int number() {
            return (int) request.promptNumber();
        }
    }

    FakeBatch(int size, AtomicLong nanos, long prefillNanos, long decodeNanos) {
        this.nanos = nanos;
        this.prefillNanos = prefillNanos;
        this.decodeNanos = decodeNanos;
        this.full = new CyclicBarrier(size, this::run);
    }

    void generate(GenerationRequest request, TokenSink sink)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        synchronized (batch) {
            batch.add(new Submitted(request, sink));
        }
        full.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    synchronized List<EngineStep> takeSteps() {
        List<EngineStep> taken = List.copyOf(steps);
        steps.clear();
        return taken;
    }

    private synchronized void run() {
        synchronized (batch) {
            batch.sort(Comparator.comparing(Submitted::number));
            batch.forEach(s -> step(EngineStep.Kind.PREFILL, prefillNanos, List.of(s)));
            int tokens = batch.get(0).request().outputTokens();
            for (int i = 1; i < tokens; i++) {
                step(EngineStep.Kind.DECODE, decodeNanos, batch);
            }
            batch.clear();
        }
    }

    private void step(EngineStep.Kind kind, long duration, List<Submitted> who) {
        long start = nanos.getAndAdd(duration);
        who.forEach(s -> s.sink().token());
        steps.add(new EngineStep(
                kind,
                start,
                start + duration,
                OptionalLong.of(duration - duration / 10),
                who.stream().map(Submitted::number).toList()));
    }
}
