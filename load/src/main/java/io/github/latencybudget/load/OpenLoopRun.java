package io.github.latencybudget.load;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** An open loop on a session: its bounds, its threads, and how many in flight it is to be warmed up for. */
final class OpenLoopRun {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Of a round of the warm-up: a target that is asked more than that is overloaded, or has no batches of a size of their own. */
    private static final int MOST_WARMED_UP = 64;

    /** Of Poisson arrivals as many are in flight as a Poisson distribution has: not more than these above its mean in 1 of 1,000. */
    private static final double DEVIATIONS = 4;

    private final TargetSession session;
    private final Load.Open load;
    private final Optional<Duration> maxDuration;

    OpenLoopRun(TargetSession session, Load.Open load, Optional<Duration> maxDuration) {
        this.session = session;
        this.load = load;
        this.maxDuration = maxDuration;
    }

    /** @throws MeasurementException where the target cannot have as many in flight as the load names */
    void requireInFlight() {
        int most = session.maxConcurrency();
        if (load.maxInFlight().orElse(most) > most) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "maxInFlight = %d: this target can have at most %d request%s in flight at a time; ask for at most so many, or leave it out",
                    load.maxInFlight().getAsInt(),
                    most,
                    most == 1 ? "" : "s"));
        }
    }

    /**
     * {@return how many are in flight on average if each takes as long as one by itself (Little's law), in whole requests}
     *
     * @param alone a request that had the target for itself
     * @param outputTokens how many output tokens those of the run have
     * @throws MeasurementException where it did not complete
     */
    int expectedInFlight(TokenTrace alone, int outputTokens) {
        if (alone.outcome() != Outcome.COMPLETED) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the warm-up with a prompt of %d tokens did not complete (%s): %s",
                    alone.promptTokens(),
                    alone.outcome(),
                    alone.reason().orElseThrow()));
        }
        // An answer that is not streamed has no TTFT, and takes as long as it takes.
        long first = StreamMetrics.ttftNanos(alone)
                .orElse(StreamMetrics.e2eNanos(alone).orElse(0));
        double nanos =
                first + (outputTokens - 1) * StreamMetrics.tpotNanos(alone).orElse(0);
        double expected = Math.ceil(load.arrivals().highestRequestsPerSecond() * nanos / NANOS_PER_SECOND);
        return (int) Math.max(1, Math.min(expected, mostInFlight()));
    }

    /**
     * {@return how many a round of the warm-up has: as many as there are now and then, for a target whose batches have kernels of their
     * own would make those for a larger one while it is measured}
     *
     * @param expected how many are in flight on average
     */
    int warmedUp(int expected) {
        double most = load.arrivals() instanceof Arrivals.Poisson
                ? Math.ceil(expected + DEVIATIONS * Math.sqrt(expected))
                : expected;
        return (int) Math.min(most, Math.min(MOST_WARMED_UP, mostInFlight()));
    }

    void run(Supplier<Optional<Request>> next, EndedRequests ended) {
        ExecutorService learning = Executors.newSingleThreadExecutor(r -> {
            Thread thread = new Thread(r, "latency-budget learning");
            thread.setDaemon(true);
            return thread;
        });
        try (Preparers preparers = new Preparers(session.maxConcurrency())) {
            OpenLoop loop = new OpenLoop(
                    limits(),
                    session.clock(),
                    new OpenLoop.Threads(
                            preparers,
                            learning,
                            new PrecisePause(
                                    session.clock(),
                                    Thread.currentThread(),
                                    load.arrivals().highestRequestsPerSecond())),
                    ended);
            loop.run(Schedule.of(load.arrivals()), next);
        } finally {
            end(learning);
        }
    }

    private OpenLoop.Limits limits() {
        return new OpenLoop.Limits(
                mostInFlight(),
                load.maxQueued(),
                session.maxConcurrency(),
                maxDuration.map(Duration::toNanos).orElse(Long.MAX_VALUE));
    }

    /** {@return how many requests may be in flight at a time} */
    int mostInFlight() {
        return load.maxInFlight().orElse(session.maxConcurrency());
    }

    private static void end(ExecutorService learning) {
        learning.shutdown();
        boolean isInterrupted = Thread.interrupted();
        try {
            learning.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
