package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** Finds the second in which most chunks came: a ramp or bursts ask more of a client than their mean tells. */
final class BusiestSecond {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private BusiestSecond() {}

    /** {@return how many chunks came per second in it; of a run that is shorter, in all of it. Empty where none came, or in no time} */
    static OptionalDouble eventsPerSecond(List<TokenTrace> traces) {
        if (traces.isEmpty()) {
            return OptionalDouble.empty();
        }
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        long origin = traces.get(0).startNanos();
        long first =
                traces.stream().mapToLong(t -> t.startNanos() - origin).min().getAsLong();
        long[] arrivals = arrivals(traces, origin);
        if (arrivals.length == 0 || arrivals[arrivals.length - 1] <= first) {
            return OptionalDouble.empty();
        }
        long window = Math.min(SECOND_NANOS, arrivals[arrivals.length - 1] - first);
        return OptionalDouble.of(most(arrivals, window) * (double) SECOND_NANOS / window);
    }

    private static long[] arrivals(List<TokenTrace> traces, long origin) {
        long[] arrivals =
                new long[traces.stream().mapToInt(t -> t.chunks().count()).sum()];
        int next = 0;
        for (TokenTrace trace : traces) {
            Chunks chunks = trace.chunks();
            for (int chunk = 1; chunk <= chunks.count(); chunk++) {
                arrivals[next++] = chunks.arrivalNanos(chunk) - origin;
            }
        }
        Arrays.sort(arrivals);
        return arrivals;
    }

    /** A window holds what comes at its beginning, and not what comes at its end. */
    private static int most(long[] arrivals, long window) {
        int most = 0;
        int from = 0;
        for (int to = 0; to < arrivals.length; to++) {
            while (arrivals[to] - arrivals[from] >= window) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
