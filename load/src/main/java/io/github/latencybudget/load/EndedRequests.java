package io.github.latencybudget.load;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The requests of a run that are over. Each is added by the thread that knows it first, and any thread may look at any time. */
final class EndedRequests {

    /** By a difference, since nanoTime may run over the end of the long range within a run. */
    private static final Comparator<TokenTrace> BY_START = ((Comparator<TokenTrace>)
                    (a, b) -> Long.signum(a.startNanos() - b.startNanos()))
            .thenComparing(TokenTrace::request);

    private final Queue<TokenTrace> traces = new ConcurrentLinkedQueue<>();

    void add(TokenTrace trace) {
        traces.add(trace);
    }

    /** {@return what is there by now, in the order of their start} */
    List<TokenTrace> byStart() {
        return traces.stream().sorted(BY_START).toList();
    }
}
