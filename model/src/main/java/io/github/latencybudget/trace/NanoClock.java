package io.github.latencybudget.trace;

import org.apiguardian.api.API;

/** A monotonic clock in nanoseconds. Its origin means nothing; only differences do. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface NanoClock {

    /** The machine's monotonic clock, {@link System#nanoTime()}: a step of the wall clock does not reach it. */
    NanoClock SYSTEM = System::nanoTime;

    /** {@return the present reading, in nanoseconds} */
    long nanos();
}
