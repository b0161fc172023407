package io.github.latencybudget.llama;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The requests that wait for their prefill and those that decode together, and the steps that they take. For the scheduler's thread. */
final class Batch {

    /** What a prefill may take at once, so that its intermediate results stay small beside a model's weights. */
    private static final int MOST_PREFILL_TOKENS = 8192;

    private final List<InFlight> waiting = new ArrayList<>();
    private final List<InFlight> batch = new ArrayList<>();
    private final StepLog log = new StepLog();
    private final BooleanSupplier nothingElseToDo;
    private Decoding decoding;
    private long lastEndNanos;

    /** @param nothingElseToDo whether nobody waits for the time between two steps */
    Batch(Decoding decoding, BooleanSupplier nothingElseToDo) {
        this.decoding = decoding;
        this.nothingElseToDo = nothingElseToDo;
    }

    void add(InFlight request) {
        waiting.add(request);
    }

    Decoding decoding() {
        return decoding;
    }

    /** Takes another way to decode from now on, and closes the one before. */
    void decodeBy(Decoding next) {
        log.complete(decoding.takeDeviceNanos());
        decoding.close();
        decoding = next;
    }

    /** {@return the steps since the last call} */
    List<EngineStep> takeSteps() {
        log.complete(decoding.takeDeviceNanos());
        return log.take();
    }

    boolean isIdle() {
        return waiting.isEmpty() && batch.isEmpty();
    }

    /** {@return whether a step was begun ahead: then it is the next thing to do} */
    boolean isAhead() {
        return decoding.isAhead();
    }

    /** {@return whether nobody decodes, and fewer wait than were prepared} */
    boolean isBeforeAnyPrefillOf(int prepared) {
        return batch.isEmpty() && waiting.size() < prepared;
    }

    /** {@return when the first of those that wait was asked for} */
    long waitingSinceNanos() {
        return waiting.get(0).sinceNanos();
    }

    /** Makes the next step: the one that was begun ahead, a prefill of those that wait, or a decode step of the batch. */
    void step() {
        if (decoding.isAhead()) {
            run(EngineStep.Kind.DECODE, List.copyOf(batch));
            return;
        }
        dropCancelled(waiting);
        dropCancelled(batch);
        if (!waiting.isEmpty()) {
            List<InFlight> joining = joining();
            waiting.removeAll(joining);
            batch.addAll(joining);
            run(EngineStep.Kind.PREFILL, joining);
        } else if (!batch.isEmpty()) {
            run(EngineStep.Kind.DECODE, List.copyOf(batch));
        }
    }

    private static void dropCancelled(List<InFlight> requests) {
        for (Iterator<InFlight> all = requests.iterator(); all.hasNext(); ) {
            InFlight request = all.next();
            if (request.isCancelled()) {
                all.remove();
                request.end().complete(null);
            }
        }
    }

    private List<InFlight> joining() {
        List<InFlight> joining = new ArrayList<>();
        int tokens = 0;
        for (InFlight request : waiting) {
            tokens += request.sequence().size();
            if (joining.isEmpty() || tokens <= MOST_PREFILL_TOKENS) {
                joining.add(request);
            }
        }
        return joining;
    }

    private void run(EngineStep.Kind kind, List<InFlight> requests) {
        List<Sequence> sequences = requests.stream().map(InFlight::sequence).toList();
        long start = decoding.isAhead() ? lastEndNanos : NanoClock.SYSTEM.nanos();
        long[] tokens;
        try {
            tokens = kind == EngineStep.Kind.PREFILL
                    ? decoding.prefill(sequences)
                    : decoding.decode(sequences, goOnTogether(requests));
        } catch (RuntimeException | Error e) {
            clear(e);
            requests.forEach(request -> end(request, e));
            return;
        }
        lastEndNanos = NanoClock.SYSTEM.nanos();
        for (int i = 0; i < tokens.length; i++) {
            tell(requests.get(i), tokens[i]);
        }
        log.add(
                kind,
                start,
                lastEndNanos,
                requests.stream().map(InFlight::number).toList());
        if (!batch.equals(requests)) {
            decoding.dropAhead();
        }
    }

    /** {@return whether the step after the next is one of the same requests, as far as can be known} */
    private boolean goOnTogether(List<InFlight> requests) {
        return nothingElseToDo.getAsBoolean()
                && waiting.isEmpty()
                && requests.stream()
                        .allMatch(r -> !r.isCancelled() && r.sequence().hasTwoMore());
    }

    /** So that neither the times nor the tokens of a step that failed are taken for those of the next. */
    private void clear(Throwable failure) {
        try {
            decoding.dropAhead();
            log.complete(decoding.takeDeviceNanos());
        } catch (EngineFailure e) {
            failure.addSuppressed(e);
        }
    }

    // what a sink throws is about its request only
    private void tell(InFlight request, long token) {
        try {
            request.token().accept(token);
            if (request.sequence().accept(token)) {
                batch.remove(request);
                request.end().complete(null);
            }
        } catch (Throwable e) {
            end(request, e);
        }
    }

    private void end(InFlight request, Throwable failure) {
        batch.remove(request);
        request.end().completeExceptionally(failure);
    }

    /** Ends what waits and what decodes, for this reason. */
    void endAll(Throwable reason) {
        List<InFlight> left = new ArrayList<>(waiting);
        left.addAll(batch);
        waiting.clear();
        left.forEach(request -> end(request, reason));
    }
}
