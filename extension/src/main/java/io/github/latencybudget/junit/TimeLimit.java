package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;

/**
 * Interrupts a measurement that takes longer than the {@code @Timeout} of its test, which JUnit itself applies to the test's body
 * only. As with JUnit, what does not heed an interrupt runs on.
 *
 * @param duration how long a measurement may take; empty for as long as it likes
 */
record TimeLimit(Optional<Duration> duration) {

    static TimeLimit of(Optional<Timeout> timeout) {
        return new TimeLimit(timeout.map(t -> Duration.ofNanos(t.unit().toNanos(t.value()))));
    }

    /**
     * Does the work. Where that takes too long, it is interrupted, and what it makes of that is the result.
     *
     * @param isOver becomes true where the time was over
     */
    <T> T within(AtomicBoolean isOver, Supplier<T> work) {
        if (duration.isEmpty()) {
            return work.get();
        }
        Thread worker = Thread.currentThread();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread thread = new Thread(r, "latency-budget time limit");
            thread.setDaemon(true);
            return thread;
        });
        Object end = new Object();
        AtomicBoolean hasEnded = new AtomicBoolean();
        timer.schedule(
                () -> {
                    synchronized (end) {
                        if (!hasEnded.get()) {
                            isOver.set(true);
                            worker.interrupt();
                        }
                    }
                },
                duration.get().toNanos(),
                TimeUnit.NANOSECONDS);
        try {
            return work.get();
        } finally {
            synchronized (end) {
                hasEnded.set(true);
            }
            timer.shutdownNow();
            if (isOver.get()) {
                // It was for the measurement, not for whatever runs on this thread next.
                Thread.interrupted();
            }
        }
    }

    MeasurementException over() {
        return new MeasurementException(String.format(
                Locale.ROOT,
                "the measurement took longer than the @Timeout of its test, %s, and was interrupted: allow more time, or ask for fewer requests or output tokens",
                inWords(duration.orElseThrow())));
    }

    private static String inWords(Duration duration) {
        return duration.toSeconds() > 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
