package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The one thread that uses a model. Requests join and leave between two steps: those that wait are prefilled, together where
 * there are several, before those in the batch get their next tokens. Each is told of its tokens on this thread.
 */
final class Scheduler {

    /**
     * How long the first of several waits for those that were prepared with it. Alone, its prompt would take as long as all of
     * them together, and they would wait for it.
     */
    private static final Duration GATHER = Duration.ofNanos(300_000);

    private static final Runnable END = () -> {};

    private final LinkedBlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
    private final Batch batch;
    private final String name;
    private final IntSupplier prepared;
    private final Duration gather;
    private final Thread thread;
    private boolean ended;

    /**
     * @param name the model's, for messages
     * @param prepared how many sequences have what they need to run, those that run included; asked on the scheduler's thread
     */
    Scheduler(String name, Decoding decoding, IntSupplier prepared) {
        this(name, decoding, prepared, GATHER);
    }

    /** @param gather how long the first of several waits for the others */
    Scheduler(String name, Decoding decoding, IntSupplier prepared, Duration gather) {
        this.name = name;
        this.gather = gather;
        this.prepared = prepared;
        this.batch = new Batch(decoding, commands::isEmpty);
        this.thread = new Thread(this::loop, "latency-budget " + name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Runs a sequence to its end, together with whatever else is in flight.
     *
     * @param number what the steps call it
     * @param token told of every output id on the scheduler's thread; must not use this scheduler
     * @throws InterruptedException once the sequence was taken out of the batch
     */
    void run(Sequence sequence, int number, LongConsumer token) throws InterruptedException {
        requireOtherThread();
        InFlight request = new InFlight(sequence, number, token);
        submit(() -> batch.add(request));
        try {
            request.end().get();
        } catch (InterruptedException e) {
            request.cancel();
            awaitEnd(request);
            throw e;
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static void awaitEnd(InFlight request) {
        try {
            request.end().join();
        } catch (CompletionException e) {
            // why it ended matters less than that it was interrupted
        }
    }

    /** Does something with the model between two steps. {@return its result} */
    <T> T call(Supplier<T> work) {
        requireOtherThread();
        CompletableFuture<T> result = new CompletableFuture<>();
        submit(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return result.join();
        } catch (CompletionException e) {
            throw rethrown(e.getCause());
        }
    }

    /** It would wait for itself. */
    private void requireOtherThread() {
        if (Thread.currentThread() == thread) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "%s was used from within a sink: a sink takes a token and returns", name));
        }
    }

    private static RuntimeException rethrown(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        // Other languages throw what is checked here without a declaration.
        return cause instanceof RuntimeException runtime ? runtime : new IllegalStateException(cause.toString(), cause);
    }

    private void submit(Runnable command) {
        synchronized (commands) {
            if (ended) {
                throw new MeasurementException(
                        String.format(Locale.ROOT, "the session of %s is closed: open it again", name));
            }
            commands.add(command);
        }
    }

    /** Only within {@link #call}. */
    Decoding decoding() {
        return batch.decoding();
    }

    /** Takes another way to decode from now on, and closes the one before. Only within {@link #call}. */
    void decodeBy(Decoding next) {
        batch.decodeBy(next);
    }

    /** {@return whether no sequence is in flight; only within {@link #call}} */
    boolean isIdle() {
        return batch.isIdle();
    }

    /** {@return the steps since the last call} */
    List<EngineStep> takeSteps() {
        return call(batch::takeSteps);
    }

    private void loop() {
        while (true) {
            try {
                Runnable command = nextCommand();
                if (command == END) {
                    return;
                }
                if (command != null) {
                    command.run();
                } else {
                    batch.step();
                }
            } catch (InterruptedException e) {
                // nobody has this thread to interrupt it; what was asked for is done all the same
            } catch (Throwable e) {
                // without this thread all would wait for ever
                batch.endAll(e);
            }
        }
    }

    /** {@return what is to be done before the next step, null for nothing; waits where there is no step to be made} */
    private Runnable nextCommand() throws InterruptedException {
        if (batch.isAhead()) {
            return null;
        }
        if (batch.isIdle()) {
            return commands.take();
        }
        Runnable command = commands.poll();
        if (command == null && batch.isBeforeAnyPrefillOf(prepared.getAsInt())) {
            long waited = NanoClock.SYSTEM.nanos() - batch.waitingSinceNanos();
            return commands.poll(gather.toNanos() - waited, TimeUnit.NANOSECONDS);
        }
        return command;
    }

    /** Does something between two steps, without waiting for it; not at all once this has ended. */
    void later(Runnable command) {
        synchronized (commands) {
            if (!ended) {
                commands.add(command);
            }
        }
    }

    /**
     * Ends what is in flight, then the thread. Whoever waits is told that the session is closed.
     *
     * @return whether this call was the first
     */
    boolean end() {
        requireOtherThread();
        synchronized (commands) {
            if (ended) {
                return false;
            }
            commands.add(this::close);
            commands.add(END);
            ended = true;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private void close() {
        batch.endAll(new MeasurementException(
                String.format(Locale.ROOT, "the session of %s was closed while it generated", name)));
        batch.decoding().close();
    }
}
