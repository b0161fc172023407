package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.ClientCalibration.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds out how exactly the client tells arrivals, on the thread that reads the endpoint. Each rate is measured once and kept. Over
 * plain HTTP/1.1: what TLS takes is not in it.
 */
final class ClientCalibrator {

    /** Each takes two file descriptors. More requests than these share the rate among so many streams. */
    private static final int MOST_STREAMS = 256;

    private static final double LEAST_RATE = 128;
    private static final double MOST_RATE = 1 << 18;
    private static final long PLANNED_NANOS = 1_000_000_000L;
    private static final long STEP_NANOS = 200_000_000L;

    /** The thread stopped for a moment; at the ceiling it falls behind each time. */
    private static final int TRIES = 3;

    /** How long streams are waited for that take a second at most. */
    static final long MOST_WAIT_NANOS = 10_000_000_000L;

    private final Streams streams;
    private final Map<Rate, Step> known = new HashMap<>();

    /** Runs so many streams, each with an event per round. */
    interface Streams {

        /**
         * @throws Behind where events did not come in time
         * @throws IOException where a stream could not be had
         */
        Seen run(int streams, int rounds, long periodNanos) throws IOException, InterruptedException;
    }

    /** Events did not come in time, which is the client's fault and no fault of the loopback. */
    static final class Behind extends IOException {

        private static final long serialVersionUID = 1L;

        Behind(String message) {
            super(message);
        }
    }

    /**
     * What came of streams.
     *
     * @param errorNanos of each event, from when it was sent to when it was read
     * @param eventsPerSecond at which they were sent
     */
    record Seen(long[] errorNanos, double eventsPerSecond) {}

    private record Rate(int streams, double eventsPerSecond, long nanos) {}

    ClientCalibrator(Streams streams) {
        this.streams = streams;
    }

    /**
     * @param mostErrorNanos with a larger P99 none of the limits can be judged, and no higher rate does better
     * @throws MeasurementException where this machine does not let it connect to itself
     */
    synchronized ClientCalibration calibrate(int inFlight, double eventsPerSecond, long mostErrorNanos)
            throws InterruptedException {
        // Who judges the record again may have smaller limits; more than an event is waited for cannot be told.
        long end = Math.min(Math.max(mostErrorNanos, ClientCalibration.LEAST_END_NANOS), MOST_WAIT_NANOS - 1);
        int n = Math.min(inFlight, MOST_STREAMS);
        // The next power of two, so that a second run at about the same rate finds it known.
        double planned = LEAST_RATE;
        while (planned < eventsPerSecond && planned < MOST_RATE) {
            planned *= 2;
        }
        try {
            if (known.isEmpty()) {
                // Until its code is compiled the client is slower than it will be.
                measure(new Rate(n, Math.max(planned, LEAST_RATE * LEAST_RATE), STEP_NANOS));
            }
            return new ClientCalibration(
                    n, planned(new Rate(n, planned, PLANNED_NANOS)), steps(n, 2 * planned, end), end, null, null);
        } catch (IOException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "a connection of this machine to itself broke (%s); see that its loopback can be used, and how many files may be open",
                            e.getMessage()),
                    e);
        }
    }

    /** Tried once: a moment in which this machine is busy can come in the run too. */
    private Step planned(Rate rate) throws IOException, InterruptedException {
        Step step = known.get(rate);
        if (step == null) {
            step = measure(rate);
            known.put(rate, step);
        }
        return step;
    }

    private List<Step> steps(int n, double from, long endNanos) throws InterruptedException {
        List<Step> steps = new ArrayList<>();
        for (double rate = from; rate <= MOST_RATE; rate *= 2) {
            Step step = bestOfSome(new Rate(n, rate, STEP_NANOS));
            steps.add(step);
            if (!isFollowed(step, endNanos)) {
                break;
            }
        }
        return steps;
    }

    /** Whatever the largest limit allows: a smaller one of the same gate, or of the next, is judged by it too. */
    private Step bestOfSome(Rate rate) throws InterruptedException {
        Step best = known.get(rate);
        if (best != null) {
            return best;
        }
        best = tried(rate);
        for (int i = 1;
                i < TRIES
                        && !isFollowed(best, ClientCalibration.LEAST_END_NANOS)
                        && best.p99ErrorNanos() < MOST_WAIT_NANOS;
                i++) {
            Step again = tried(rate);
            best = again.p99ErrorNanos() < best.p99ErrorNanos() ? again : best;
        }
        known.put(rate, best);
        return best;
    }

    /** What breaks at a higher rate ends the doubling, and takes nothing from the rates below. */
    private Step tried(Rate rate) throws InterruptedException {
        try {
            return measure(rate);
        } catch (IOException e) {
            return lost(rate);
        }
    }

    private static boolean isFollowed(Step step, long endNanos) {
        return step.p99ErrorNanos() <= endNanos && step.wasReached();
    }

    private Step measure(Rate rate) throws IOException, InterruptedException {
        int rounds = rounds(rate);
        Seen seen;
        try {
            seen = streams.run(rate.streams(), rounds, Math.round(1e9 * rate.streams() / rate.eventsPerSecond()));
        } catch (Behind e) {
            return lost(rate);
        }
        long[] errors = seen.errorNanos();
        Arrays.sort(errors);
        return new Step(
                seen.eventsPerSecond(),
                errors.length,
                errors[Percentile.P50.rank(errors.length) - 1],
                errors[Percentile.P99.rank(errors.length) - 1],
                rate.eventsPerSecond());
    }

    private static int rounds(Rate rate) {
        return (int) Math.max(2, Math.round(rate.eventsPerSecond() / rate.streams() * rate.nanos() / 1e9));
    }

    /** Of which all that is known is how long it was waited for. */
    private static Step lost(Rate rate) {
        int events = rate.streams() * rounds(rate);
        return new Step(
                events * 1e9 / MOST_WAIT_NANOS, events, MOST_WAIT_NANOS, MOST_WAIT_NANOS, rate.eventsPerSecond());
    }
}
