package io.github.latencybudget.load;

import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.List;
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
            throw new MeasurementException(
                    "maxInFlight = %d: this target can have at most %d request%s in flight at a time; ask for at most so many, or leave it out"
                            .formatted(load.maxInFlight().getAsInt(), most, most == 1 ? "" : "s"));
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
            throw new MeasurementException("the warm-up with a prompt of %d tokens did not complete (%s): %s"
                    .formatted(
                            alone.promptTokens(),
                            alone.outcome(),
                            alone.reason().orElseThrow()));
        }
        // An answer that is not streamed has no TTFT, and takes as long as it takes.
        long first = StreamMetrics.ttftNanos(alone)
                .orElse(StreamMetrics.e2eNanos(alone).orElse(0));
        double nanos =
                first + (outputTokens - 1) * StreamMetrics.tpotNanos(alone).orElse(0);
        double expected = Math.ceil(highestRate() * nanos / NANOS_PER_SECOND);
        return (int) Math.max(1, Math.min(expected, mostInFlight()));
    }

    /** {@return how many of them a round of the warm-up has} */
    static int warmedUp(int inFlight) {
        return Math.min(MOST_WARMED_UP, inFlight);
    }

    List<TokenTrace> run(Supplier<Optional<Request>> next) {
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
                            new PrecisePause(session.clock(), Thread.currentThread(), highestRate())));
            return loop.run(Schedule.of(load.arrivals()), next);
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

    private int mostInFlight() {
        return load.maxInFlight().orElse(session.maxConcurrency());
    }

    private double highestRate() {
        if (load.arrivals() instanceof Arrivals.Ramp ramp) {
            return Math.max(ramp.fromRequestsPerSecond(), ramp.toRequestsPerSecond());
        }
        return load.arrivals() instanceof Arrivals.Poisson poisson
                ? poisson.requestsPerSecond()
                : ((Arrivals.Constant) load.arrivals()).requestsPerSecond();
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
