package io.github.latencybudget.trace;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/** A check that keeps a run from showing something that it does not. Each has a switch, and those with a threshold a value. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Guard {
    /** Another process used the GPU. */
    OTHER_PROCESSES(Reads.DEVICE),
    /** The GPU was slowed down by heat, by its power supply or by another protection of its hardware. */
    THROTTLING(Reads.DEVICE),
    /** The SM clock, as a share of its maximum, that nine of ten looks at it found at least. */
    MIN_CLOCK_SHARE(Reads.DEVICE, 0.7),
    /** The device memory in use, as a share of all. */
    MAX_MEMORY_SHARE(Reads.DEVICE, 0.95),
    /** How late requests were sent after they were due, as a share of the smallest limit that it counts against. */
    MAX_SCHEDULE_DELAY_SHARE(Reads.REQUESTS, 0.1),
    /** The prompt tokens of a request that were served from a prefix cache, as a share of its prompt. */
    MAX_CACHED_SHARE(Reads.REQUESTS, 0.1),
    /** A request gave another number of output tokens than declared. */
    OUTPUT_LENGTH(Reads.REQUESTS),
    /** The requests that did not complete, as a share of all. */
    MAX_FAILED_SHARE(Reads.REQUESTS, 0),
    /** The target or its device became another during the run. */
    SAME_TARGET(Reads.TARGET),
    /** The change from the first third of a run to its last, as a share of the first; of what comes near a limit. */
    MAX_DRIFT(Reads.REQUESTS, 0.1),
    /** What the client itself adds to the time of an arrival (P99), as a share of the smallest limit that it counts against. */
    MAX_CLIENT_ERROR_SHARE(Reads.REQUESTS, 0.1);

    private enum Reads {
        DEVICE,
        REQUESTS,
        TARGET
    }

    private final Reads reads;
    private final OptionalDouble defaultThreshold;

    Guard(Reads reads) {
        this.reads = reads;
        this.defaultThreshold = OptionalDouble.empty();
    }

    Guard(Reads reads, double defaultThreshold) {
        this.reads = reads;
        this.defaultThreshold = OptionalDouble.of(defaultThreshold);
    }

    /** {@return the guard of this name; empty where there is none} */
    public static Optional<Guard> named(String label) {
        return Arrays.stream(values()).filter(g -> g.label().equals(label)).findFirst();
    }

    /** {@return the name as it is set and printed, such as {@code other-processes}} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return where it begins unless set, as a share; empty for one that is only on or off} */
    public OptionalDouble defaultThreshold() {
        return defaultThreshold;
    }

    /** {@return whether it takes a look at the device itself} */
    public boolean readsDevice() {
        return reads == Reads.DEVICE;
    }

    /** {@return whether the value is one that its threshold can have: a share, and for a change more than all of it too} */
    public boolean allows(double threshold) {
        return defaultThreshold.isPresent()
                && threshold >= 0
                && (this == MAX_DRIFT ? threshold < Double.POSITIVE_INFINITY : threshold <= 1);
    }
}
