package io.github.latencybudget.budget;

import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.OptionalDouble;

/**
 * Puts the completed requests of a run into blocks, in their order, and tells how long each block took per token: from the last
 * token of all blocks before it to its own. Together the blocks take the time from the first start to the last token, so their mean
 * is the time per token of the system where all have as many tokens. What is in flight at a time is in one block.
 */
final class Blocks {

    private final int size;
    private boolean hasBegun;
    private long origin;
    private long end;
    private long endBefore;
    private int requests;
    private long tokens;

    /** @param size how many requests make a block */
    Blocks(int size) {
        this.size = size;
    }

    /**
     * {@return the nanoseconds per token of the block that is full with this request; empty where none is}
     *
     * @param trace that of the request whose number is next, however it ended
     */
    OptionalDouble add(TokenTrace trace) {
        if (!hasBegun) {
            hasBegun = true;
            origin = trace.startNanos();
        }
        if (trace.outcome() != Outcome.COMPLETED) {
            return OptionalDouble.empty();
        }
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        end = Math.max(
                end, trace.startNanos() - origin + StreamMetrics.e2eNanos(trace).orElseThrow());
        requests++;
        tokens += trace.outputTokens();
        return requests < size ? OptionalDouble.empty() : OptionalDouble.of(next());
    }

    private double next() {
        double perToken = (end - endBefore) / (double) tokens;
        endBefore = end;
        requests = 0;
        tokens = 0;
        return perToken;
    }
}
