package io.github.latencybudget.openai;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long each part of a request may take, in nanoseconds. Each is an option in seconds.
 *
 * @param connectNanos to connect, with what TLS takes
 * @param firstTokenNanos from the start to the first token
 * @param betweenTokensNanos from one event with a token to the next, and from the last to the end
 * @param requestNanos from the start to the end
 */
record Deadlines(long connectNanos, long firstTokenNanos, long betweenTokensNanos, long requestNanos) {

    /** After {@code [DONE]} only the end can come. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * {@return how long the next step of an answer may still take, or all of it where that is less; not above 0 where it is late}
     *
     * @param startNanos when the request was begun
     * @param nowNanos of the same clock
     */
    long leftNanos(StreamedAnswer answer, long startNanos, long nowNanos) {
        return Math.min(stepLeftNanos(answer, startNanos, nowNanos), requestNanos - (nowNanos - startNanos));
    }

    private long stepLeftNanos(StreamedAnswer answer, long startNanos, long nowNanos) {
        int chunks = answer.chunks().count();
        if (answer.isDone()) {
            return END_NANOS - (nowNanos - answer.doneNanos().getAsLong());
        }
        return chunks > 0
                ? betweenTokensNanos - (nowNanos - answer.chunks().nanos(chunks - 1))
                : firstTokenNanos - (nowNanos - startNanos);
    }

    /** {@return what is late, of an answer that is; null after {@code [DONE]}, where all has come} */
    @Nullable
    String missed(StreamedAnswer answer, long startNanos, long nowNanos, Failures failures, String path) {
        int chunks = answer.chunks().count();
        boolean isStepLate = stepLeftNanos(answer, startNanos, nowNanos) <= 0;
        if (answer.isDone() && isStepLate) {
            return null;
        }
        if (requestNanos - (nowNanos - startNanos) <= 0) {
            return failures.late(path, "the answer did not end", "requestSeconds", requestNanos, chunks);
        }
        return chunks == 0
                ? failures.late(path, "no token came", "firstTokenSeconds", firstTokenNanos, chunks)
                : failures.late(path, "no further token came", "betweenTokensSeconds", betweenTokensNanos, chunks);
    }
}
