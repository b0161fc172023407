package io.github.latencybudget.trace;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * How exactly a client tells when bytes came, as it measured itself before a run: against a server in its own process, which knows
 * when it sent each event. The error of an event is the time from just before it was handed to the socket to when the client says
 * that it was read. It holds all that the machine and the client add to an arrival, so it is no smaller than the client's own.
 *
 * @param streams how many streams there were at a time
 * @param planned at the planned rate, or the next above it that was tried
 * @param steps at higher rates, each about twice the one before; the last may be one that the client could not follow
 * @param mostErrorNanos up to which P99 of the errors the rate was doubled, in nanoseconds
 * @param protocol over which it was measured, such as {@code HTTP/1.1}; null where it is not told
 * @param endpointProtocol over which the endpoint is reached, such as {@code HTTP/2 over TLS}; null where it is not told
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ClientCalibration(
        int streams, Step planned, List<Step> steps, long mostErrorNanos, String protocol, String endpointProtocol) {

    /** What the doubling of the rate goes to whatever the limits are, in nanoseconds. */
    public static final long LEAST_END_NANOS = 10_000_000;

    public ClientCalibration {
        steps = List.copyOf(steps);
    }

    /** One that went to 10 ms, over a protocol that is not told. */
    public ClientCalibration(int streams, Step planned, List<Step> steps) {
        this(streams, planned, steps, LEAST_END_NANOS, null, null);
    }

    /** {@return the same, measured over a protocol for an endpoint that is reached over one} */
    public ClientCalibration over(String measured, String endpoint) {
        return new ClientCalibration(streams, planned, steps, mostErrorNanos, measured, endpoint);
    }

    /** {@return whether the endpoint is known to be reached over another protocol than was measured, whose work is then not in the errors} */
    public boolean wasOverAnotherProtocol() {
        return endpointProtocol != null && !endpointProtocol.equals(protocol);
    }

    /**
     * One rate.
     *
     * @param eventsPerSecond at which events were really sent, all streams together; where some did not come in time, how many came
     *     at most
     * @param events how many
     * @param p50ErrorNanos the median of their errors, in nanoseconds
     * @param p99ErrorNanos the 99th percentile of their errors, in nanoseconds; where some did not come in time, how long they were
     *     waited for
     * @param plannedPerSecond at which events were to be sent
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Step(
            double eventsPerSecond, int events, long p50ErrorNanos, long p99ErrorNanos, double plannedPerSecond) {

        private static final double LEAST_SHARE_OF_RATE = 0.9;

        /** @throws IllegalArgumentException for a rate that is no number above 0, or no event: what was not seen is absent */
        public Step {
            if (!(eventsPerSecond > 0) || Double.isInfinite(eventsPerSecond) || events < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "%s events at %s per second: both must be above 0", events, eventsPerSecond));
            }
        }

        /** At a rate that was reached. */
        public Step(double eventsPerSecond, int events, long p50ErrorNanos, long p99ErrorNanos) {
            this(eventsPerSecond, events, p50ErrorNanos, p99ErrorNanos, eventsPerSecond);
        }

        /** {@return whether events were sent at 90% of the planned rate at least} */
        public boolean wasReached() {
            return eventsPerSecond >= LEAST_SHARE_OF_RATE * plannedPerSecond;
        }
    }

    /**
     * {@return the highest rate at which the P99 of the errors was at most so large; empty where it was larger at every rate. At a
     * lower rate it can have been larger: whoever follows more events follows fewer, and the machine was busy for a moment}
     */
    public OptionalDouble ceiling(double withinNanos) {
        return Stream.concat(Stream.of(planned), steps.stream())
                .filter(s -> s.p99ErrorNanos() <= withinNanos)
                .mapToDouble(Step::eventsPerSecond)
                .max();
    }

    /**
     * {@return whether it was at most so large at the highest rate that was tried, so that the ceiling lies above; false where that
     * rate was not reached, for then it was not tried, and where the error there ended the doubling, for then the next was not}
     */
    public boolean isAboveAll(double withinNanos) {
        Step highest = steps.isEmpty() ? planned : steps.get(steps.size() - 1);
        return highest.p99ErrorNanos() <= Math.min(withinNanos, mostErrorNanos) && highest.wasReached();
    }
}
