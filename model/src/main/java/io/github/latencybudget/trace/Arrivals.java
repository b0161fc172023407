package io.github.latencybudget.trace;

import java.time.Duration;
import java.util.Locale;
import org.apiguardian.api.API;

/** When the requests of an open loop are due, whatever became of those before. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Arrivals {

    /** The most requests per second that a schedule can have: one per microsecond. */
    double MOST_PER_SECOND = 1e6;

    /** What a rate has to be, in words. */
    String ALLOWED_RATE = "must be above 0 and at most " + inWords(MOST_PER_SECOND);

    /** What the rate has to be that a ramp starts with, in words. */
    String ALLOWED_START = "must be at least 0 and at most " + inWords(MOST_PER_SECOND);

    /** The most seconds that a ramp which somebody writes down may take: a day. */
    double MOST_RAMP_SECONDS = 86_400;

    /** What the seconds of such a ramp have to be, in words. */
    String ALLOWED_RAMP = "must be above 0 and at most one day";

    /** {@return whether it is a rate in requests per second, as {@link #ALLOWED_RATE} says} */
    static boolean isRate(double requestsPerSecond) {
        return requestsPerSecond > 0 && requestsPerSecond <= MOST_PER_SECOND;
    }

    /** {@return whether a ramp can start with it, in requests per second, as {@link #ALLOWED_START} says} */
    static boolean isStart(double requestsPerSecond) {
        return requestsPerSecond >= 0 && requestsPerSecond <= MOST_PER_SECOND;
    }

    /** {@return whether a ramp may be given as many seconds, as {@link #ALLOWED_RAMP} says} */
    static boolean isRampSeconds(double seconds) {
        return seconds > 0 && seconds <= MOST_RAMP_SECONDS;
    }

    /** {@return the same arrivals, drawn from another seed where they are drawn} */
    default Arrivals withSeed(long seed) {
        return this;
    }

    /** {@return such as {@code 5 requests/s, Poisson}} */
    String text();

    /** {@return the highest rate that they ever have; the mean one where they are drawn} */
    double highestRequestsPerSecond();

    /**
     * One request after the other at equal distances, the first at the start.
     *
     * @param requestsPerSecond the rate, above 0
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Constant(double requestsPerSecond) implements Arrivals {

        /** @throws IllegalArgumentException for a rate that is not above 0 and at most {@link #MOST_PER_SECOND} */
        public Constant {
            requireRate("requestsPerSecond", requestsPerSecond);
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "%s requests/s, constant", inWords(requestsPerSecond));
        }

        @Override
        public double highestRequestsPerSecond() {
            return requestsPerSecond;
        }
    }

    /**
     * A Poisson process: independent, exponentially distributed distances. What independent users do.
     *
     * @param requestsPerSecond the mean rate, above 0
     * @param seed what the distances follow from
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Poisson(double requestsPerSecond, long seed) implements Arrivals {

        /** @throws IllegalArgumentException for a rate that is not above 0 and at most {@link #MOST_PER_SECOND} */
        public Poisson {
            requireRate("requestsPerSecond", requestsPerSecond);
        }

        @Override
        public Poisson withSeed(long other) {
            return new Poisson(requestsPerSecond, other);
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "%s requests/s, Poisson", inWords(requestsPerSecond));
        }

        @Override
        public double highestRequestsPerSecond() {
            return requestsPerSecond;
        }
    }

    /**
     * A rate that changes evenly, and then stays where it came to; the first request is due at the start.
     *
     * @param fromRequestsPerSecond the rate at the start, at least 0
     * @param toRequestsPerSecond the rate at the end, at least 0, not 0 where the other is, and another one
     * @param over how long the change takes
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Ramp(double fromRequestsPerSecond, double toRequestsPerSecond, Duration over) implements Arrivals {

        /**
         * @throws IllegalArgumentException for a start rate below 0, an end rate that is not above 0, two equal rates, a rate above
         *     {@link #MOST_PER_SECOND}, or no time
         */
        public Ramp {
            if (!isStart(fromRequestsPerSecond)) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "fromRequestsPerSecond = %s: %s", fromRequestsPerSecond, ALLOWED_START));
            }
            requireRate("toRequestsPerSecond", toRequestsPerSecond);
            if (fromRequestsPerSecond == toRequestsPerSecond) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "toRequestsPerSecond = %s: a ramp ends at another rate than it starts with",
                        toRequestsPerSecond));
            }
            if (over.isNegative() || over.isZero()) {
                throw new IllegalArgumentException(String.format(Locale.ROOT, "over = %s: must be above 0", over));
            }
        }

        /**
         * {@return a ramp over a number of seconds, to the nearest nanosecond and at least one}
         *
         * @param fromRequestsPerSecond the rate at the start
         * @param toRequestsPerSecond the rate at the end
         * @param seconds how long the change takes
         * @throws IllegalArgumentException for two such rates that are no ramp, and for seconds that are not as {@link #ALLOWED_RAMP}
         *     says
         */
        public static Ramp overSeconds(double fromRequestsPerSecond, double toRequestsPerSecond, double seconds) {
            if (!isRampSeconds(seconds)) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "seconds = %s: %s", seconds, ALLOWED_RAMP));
            }
            return new Ramp(
                    fromRequestsPerSecond,
                    toRequestsPerSecond,
                    Duration.ofNanos(Math.max(1, Math.round(seconds * 1e9))));
        }

        @Override
        public String text() {
            return String.format(
                    Locale.ROOT,
                    "%s to %s requests/s over %s s",
                    inWords(fromRequestsPerSecond),
                    inWords(toRequestsPerSecond),
                    inWords(over.toNanos() / 1e9));
        }

        @Override
        public double highestRequestsPerSecond() {
            return Math.max(fromRequestsPerSecond, toRequestsPerSecond);
        }
    }

    private static void requireRate(String name, double rate) {
        if (!isRate(rate)) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "%s = %s: %s", name, rate, ALLOWED_RATE));
        }
    }

    private static String inWords(double number) {
        return number == Math.rint(number) ? String.format(Locale.ROOT, "%.0f", number) : Double.toString(number);
    }
}
