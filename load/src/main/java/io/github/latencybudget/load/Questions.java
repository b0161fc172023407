package io.github.latencybudget.load;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks several things at once of a target that may hang, and waits for all answers together no longer than so. */
final class Questions {

    private final long deadlineNanos;

    Questions(Duration patience) {
        this.deadlineNanos = System.nanoTime() + patience.toNanos();
    }

    <T> Answer<T> ask(Supplier<T> question) {
        FutureTask<T> task = new FutureTask<>(question::get);
        Thread thread = new Thread(task, "latency-budget last look");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // It may be what ended the run.
            task.cancel(false);
        }
        return new Answer<>(task);
    }

    /** What is answered, or not in time. */
    final class Answer<T> {

        private final FutureTask<T> task;

        private Answer(FutureTask<T> task) {
            this.task = task;
        }

        /** {@return the answer; empty where none came in time, or the question failed} */
        Optional<T> get() {
            boolean isInterrupted = Thread.interrupted();
            try {
                while (true) {
                    try {
                        return Optional.ofNullable(
                                task.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS));
                    } catch (InterruptedException e) {
                        isInterrupted = true;
                    } catch (ExecutionException | TimeoutException | CancellationException e) {
                        return Optional.empty();
                    }
                }
            } finally {
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
