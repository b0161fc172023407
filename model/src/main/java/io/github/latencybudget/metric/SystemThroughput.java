package io.github.latencybudget.metric;

import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * What a run gave as a whole: one number per run, and so none that a share of requests could be judged by.
 *
 * @param outputTokens all output tokens of the requests that completed
 * @param windowNanos from the first start to the last token of any request, in nanoseconds; above 0
 * @param meanInFlight how many requests were in flight on average over the window: below the concurrency by what is spent
 *     between two requests and at the end of the run, where no further ones start
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record SystemThroughput(int outputTokens, long windowNanos, double meanInFlight) {

    private static final double NANOS_PER_SECOND = 1e9;

    /** {@return what the requests of a run gave together; absent where none that completed gave a token, or in no time} */
    public static Optional<SystemThroughput> of(List<TokenTrace> traces) {
        int outputTokens = traces.stream()
                .filter(t -> t.outcome() == Outcome.COMPLETED)
                .mapToInt(TokenTrace::outputTokens)
                .sum();
        if (outputTokens == 0) {
            return Optional.empty();
        }
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        long origin = traces.get(0).startNanos();
        long first = 0;
        long last = 0;
        double inFlight = 0;
        for (TokenTrace trace : traces) {
            long start = trace.startNanos() - origin;
            long end = start + StreamMetrics.e2eNanos(trace).orElse(0);
            first = Math.min(first, start);
            last = Math.max(last, end);
            inFlight += end - start;
        }
        long window = last - first;
        return window <= 0
                ? Optional.empty()
                : Optional.of(new SystemThroughput(outputTokens, window, inFlight / window));
    }

    /** {@return system TGS: the tokens over the window, in tokens per second} */
    public double systemTgs() {
        return outputTokens * NANOS_PER_SECOND / windowNanos;
    }
}
