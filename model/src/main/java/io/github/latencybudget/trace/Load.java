package io.github.latencybudget.trace;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;

/** How requests are put on a target. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Load {

    /**
     * A closed loop: whenever a request ends, the next starts, after the think time where there is one. A target that becomes slower
     * is asked less.
     *
     * @param concurrency how many requests are in flight at a time, or how many users there are who think
     * @param thinkTime how long each thinks between an answer and the next request; empty for not at all
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Closed(int concurrency, Optional<ThinkTime> thinkTime) implements Load {

        /** Of users who do not think. */
        public Closed(int concurrency) {
            this(concurrency, Optional.empty());
        }

        /** @throws IllegalArgumentException for a concurrency below 1 */
        public Closed {
            if (concurrency < 1) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "concurrency = %s: must be at least 1", concurrency));
            }
        }
    }

    /**
     * An open loop: requests are due by a schedule, however slow the target is, and their time starts when they are due. One that
     * cannot be sent then, for as many are in flight as may be, waits in a queue; one that finds the queue full is
     * {@link Outcome#DROPPED}.
     *
     * @param arrivals when requests are due
     * @param maxInFlight how many may be in flight at a time; empty for as many as the target can have
     * @param maxQueued how many may wait, at least 0
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Open(Arrivals arrivals, OptionalInt maxInFlight, int maxQueued) implements Load {

        /** How many may wait where nobody says otherwise. */
        public static final int QUEUED_BY_DEFAULT = 100;

        /** @throws IllegalArgumentException for less than one request in flight, or a queue of less than none */
        public Open {
            if (maxInFlight.isPresent() && maxInFlight.getAsInt() < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "maxInFlight = %s: must be at least 1, or empty", maxInFlight.getAsInt()));
            }
            if (maxQueued < 0) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "maxQueued = %s: must be at least 0", maxQueued));
            }
        }

        /** {@return the same load, with arrivals from another seed where they are drawn} */
        public Open withSeed(long seed) {
            return new Open(arrivals.withSeed(seed), maxInFlight, maxQueued);
        }

        /** {@return such as {@code open loop of 5 requests/s, Poisson}} */
        public String text() {
            return "open loop of " + arrivals.text();
        }
    }
}
