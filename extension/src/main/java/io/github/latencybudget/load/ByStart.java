package io.github.latencybudget.load;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The order of start, by a difference, since nanoTime may run over the end of the long range within a run. */
final class ByStart {

    private static final Comparator<TokenTrace> ORDER = ((Comparator<TokenTrace>)
                    (a, b) -> Long.signum(a.startNanos() - b.startNanos()))
            .thenComparing(TokenTrace::request);

    private ByStart() {}

    static List<TokenTrace> sorted(Collection<TokenTrace> traces) {
        return traces.stream().sorted(ORDER).toList();
    }
}
