package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * What the stream of one request gives, by the definitions in {@code docs/metrics.md}. With {@code t_0} the start, {@code t_i}
 * the arrival of output token {@code i} and {@code N} the number of output tokens.
 *
 * <p>Every token counts as a chunk of its own ({@code k_1 = 1}), as it is in process.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class StreamMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    private StreamMetrics() {}

    /** {@return TTFT, {@code t_1 - t_0}, in nanoseconds; absent without a token} */
    public static OptionalLong ttftNanos(TokenTrace trace) {
        return trace.outputTokens() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(trace.arrivalNanos(1) - trace.startNanos());
    }

    /** {@return E2E, {@code t_N - t_0}, in nanoseconds; absent without a token} */
    public static OptionalLong e2eNanos(TokenTrace trace) {
        return trace.outputTokens() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(trace.arrivalNanos(trace.outputTokens()) - trace.startNanos());
    }

    /** {@return the gaps {@code t_i - t_(i-1)} for i from 2, in nanoseconds and in order; TTFT is never one of them} */
    public static long[] gapNanos(TokenTrace trace) {
        long[] gaps = new long[Math.max(0, trace.outputTokens() - 1)];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = trace.arrivalNanos(i + 2) - trace.arrivalNanos(i + 1);
        }
        return gaps;
    }

    /** {@return TPOT, {@code (t_N - t_1) / (N - 1)}, in nanoseconds; absent with fewer than two tokens} */
    public static OptionalDouble tpotNanos(TokenTrace trace) {
        int n = trace.outputTokens();
        return n < 2 ? OptionalDouble.empty() : OptionalDouble.of(decodeNanos(trace) / (double) (n - 1));
    }

    /**
     * {@return {@code (E2E - TTFT) / N} in nanoseconds, the form of older tables, for comparison only; absent without a token}
     */
    public static OptionalDouble meanItlOverNNanos(TokenTrace trace) {
        int n = trace.outputTokens();
        return n == 0 ? OptionalDouble.empty() : OptionalDouble.of(decodeNanos(trace) / (double) n);
    }

    /** {@return decode TGS, {@code (N - 1) / (t_N - t_1)}, in tokens per second; absent where that is not a number} */
    public static OptionalDouble decodeTgs(TokenTrace trace) {
        int n = trace.outputTokens();
        return n < 2 ? OptionalDouble.empty() : perSecond(n - 1, decodeNanos(trace));
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
