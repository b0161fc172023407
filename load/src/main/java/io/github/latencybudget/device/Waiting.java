package io.github.latencybudget.device;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A wait for a device, which is said and has an end. */
final class Waiting {

    private static final long UNSAID_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long BETWEEN_LINES_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String device;
    private final long longestNanos;
    private final LongSupplier nanoTime;
    private final Consumer<String> console;
    private final long startNanos;
    private long nextLineNanos = UNSAID_NANOS;

    /**
     * @param nanoTime as of {@link System#nanoTime}
     * @param console takes a line each time
     */
    Waiting(String device, Duration longest, LongSupplier nanoTime, Consumer<String> console) {
        this.device = device;
        this.longestNanos = longest.toNanos();
        this.nanoTime = nanoTime;
        this.console = console;
        this.startNanos = nanoTime.getAsLong();
    }

    /** {@return how long it has lasted} */
    long nanos() {
        return nanoTime.getAsLong() - startNanos;
    }

    /**
     * Says for whom it waits, where that is due.
     *
     * @return the nanoseconds until there is something to say or the wait ends
     * @throws DeviceLockException where it has lasted for as long as it may
     */
    long check(Supplier<Optional<LockHolder>> holder) throws DeviceLockException {
        long nanos = nanos();
        if (nanos >= longestNanos) {
            throw tooLong(holder.get());
        }
        if (nanos >= nextLineNanos) {
            nextLineNanos = nanos + BETWEEN_LINES_NANOS;
            console.accept(String.format(
                    Locale.ROOT,
                    "waits for %s, which %s: gives up in %d s",
                    device,
                    words(holder.get()),
                    TimeUnit.NANOSECONDS.toSeconds(longestNanos - nanos)));
        }
        return Math.min(nextLineNanos, longestNanos) - nanos;
    }

    private DeviceLockException tooLong(Optional<LockHolder> holder) {
        return new DeviceLockException(String.format(
                Locale.ROOT,
                "waited %d s for %s, which %s: end that %s if it hangs, or allow more time with latencybudget.device.wait-seconds",
                TimeUnit.NANOSECONDS.toSeconds(longestNanos),
                device,
                words(holder),
                holder.filter(LockHolder::isThisJvm).isPresent() ? "gate" : "process"));
    }

    private static String words(Optional<LockHolder> holder) {
        return holder.map(LockHolder::words).orElse("another process uses");
    }
}
