package io.github.latencybudget.metric;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.TokenTrace;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * What the stream of one request gives, by the definitions in {@code docs/metrics.md}. With {@code t_0} the start, {@code t_i}
 * the arrival of output token {@code i} and {@code N} the number of output tokens.
 *
 * <p>{@code k_1} tokens came in the first chunk: 1 in process, and where nobody knows.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class StreamMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    private StreamMetrics() {}

    /** {@return TTFT, {@code t_1 - t_0}, in nanoseconds; absent without a token, and where the answer was not streamed} */
    public static OptionalLong ttftNanos(TokenTrace trace) {
        return trace.outputTokens() == 0 || trace.chunks().isWhole()
                ? OptionalLong.empty()
                : OptionalLong.of(trace.arrivalNanos(1) - trace.startNanos());
    }

    /** {@return E2E, {@code t_N - t_0}, in nanoseconds; absent without a token} */
    public static OptionalLong e2eNanos(TokenTrace trace) {
        return trace.outputTokens() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(trace.arrivalNanos(trace.outputTokens()) - trace.startNanos());
    }

    /** {@return TTFO, the arrival of the first token of the visible answer, in nanoseconds; absent without one, and where the answer was not streamed} */
    public static OptionalLong ttfoNanos(TokenTrace trace) {
        OptionalInt first = trace.chunks().firstVisible();
        return first.isEmpty() || trace.chunks().isWhole()
                ? OptionalLong.empty()
                : OptionalLong.of(trace.chunks().arrivalNanos(first.getAsInt()) - trace.startNanos());
    }

    /**
     * {@return the gaps {@code t_i - t_(i-1)}, in nanoseconds and in order, for i from the second chunk's first token on; none where
     * it is not known which chunk held how many tokens}
     *
     * <p>TTFT is never one of them. The gap of a chunk with several tokens divides evenly over them, to within a nanosecond.
     */
    public static long[] gapNanos(TokenTrace trace) {
        Chunks chunks = trace.chunks();
        if (chunks.isOneTokenEach()) {
            return chunkGapNanos(trace);
        }
        if (!chunks.areTokensKnown()) {
            return new long[0];
        }
        long[] gaps = new long[chunks.tokens() - chunks.tokensOf(1)];
        int next = 0;
        for (int chunk = 2; chunk <= chunks.count(); chunk++) {
            long gap = chunks.arrivalNanos(chunk) - chunks.arrivalNanos(chunk - 1);
            int tokens = chunks.tokensOf(chunk);
            for (int i = 0; i < tokens; i++) {
                gaps[next++] = gap * (i + 1) / tokens - gap * i / tokens;
            }
        }
        return gaps;
    }

    /** {@return the gaps between the chunks as they arrived, in nanoseconds and in order} */
    public static long[] chunkGapNanos(TokenTrace trace) {
        Chunks chunks = trace.chunks();
        long[] gaps = new long[Math.max(0, chunks.count() - 1)];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = chunks.arrivalNanos(i + 2) - chunks.arrivalNanos(i + 1);
        }
        return gaps;
    }

    /** {@return TPOT, {@code (t_N - t_1) / (N - k_1)}, in nanoseconds; absent where all tokens came in one chunk} */
    public static OptionalDouble tpotNanos(TokenTrace trace) {
        int later = afterFirstChunk(trace);
        return later == 0 ? OptionalDouble.empty() : OptionalDouble.of(decodeNanos(trace) / (double) later);
    }

    /** {@code N - k_1}. */
    private static int afterFirstChunk(TokenTrace trace) {
        Chunks chunks = trace.chunks();
        if (chunks.count() < 2) {
            return 0;
        }
        return chunks.tokens() - (chunks.areTokensKnown() ? chunks.tokensOf(1) : 1);
    }

    /**
     * {@return fluidity: the share of tokens that are there in time, where the i-th may come at {@code ttftLimit + (i - 1) *
     * itlLimit}; absent without a token, where it is not known which chunk held how many, and where the answer was not streamed}
     *
     * @param ttftLimitNanos when the first token has to be there, in nanoseconds from the start
     * @param itlLimitNanos how much later each further one may be
     */
    public static OptionalDouble fluidity(TokenTrace trace, long ttftLimitNanos, long itlLimitNanos) {
        Chunks chunks = trace.chunks();
        if (chunks.count() == 0 || !chunks.areTokensKnown() || chunks.isWhole()) {
            return OptionalDouble.empty();
        }
        int token = 0;
        int inTime = 0;
        for (int chunk = 1; chunk <= chunks.count(); chunk++) {
            long since = chunks.arrivalNanos(chunk) - trace.startNanos();
            for (int i = 0; i < chunks.tokensOf(chunk); i++) {
                inTime += since <= ttftLimitNanos + token * itlLimitNanos ? 1 : 0;
                token++;
            }
        }
        return OptionalDouble.of(inTime / (double) token);
    }

    /**
     * {@return {@code (E2E - TTFT) / N} in nanoseconds, the form of older tables, for comparison only; absent without a token, and where the answer was
     * not streamed}
     */
    public static OptionalDouble meanItlOverNNanos(TokenTrace trace) {
        int n = trace.outputTokens();
        return n == 0 || trace.chunks().isWhole()
                ? OptionalDouble.empty()
                : OptionalDouble.of(decodeNanos(trace) / (double) n);
    }

    /** {@return decode TGS, {@code (N - k_1) / (t_N - t_1)}, in tokens per second; absent where that is not a number} */
    public static OptionalDouble decodeTgs(TokenTrace trace) {
        int later = afterFirstChunk(trace);
        return later == 0 ? OptionalDouble.empty() : perSecond(later, decodeNanos(trace));
    }

    /** {@return request TGS, {@code N / (t_N - t_0)}, in tokens per second; absent where that is not a number} */
    public static OptionalDouble requestTgs(TokenTrace trace) {
        OptionalLong e2e = e2eNanos(trace);
        return e2e.isEmpty() ? OptionalDouble.empty() : perSecond(trace.outputTokens(), e2e.getAsLong());
    }

    private static long decodeNanos(TokenTrace trace) {
        return trace.arrivalNanos(trace.outputTokens()) - trace.arrivalNanos(1);
    }

    private static OptionalDouble perSecond(int tokens, long nanos) {
        return nanos <= 0 ? OptionalDouble.empty() : OptionalDouble.of(tokens * NANOS_PER_SECOND / nanos);
    }
}
