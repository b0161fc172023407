package io.github.latencybudget.trace;

import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * The warm-up before a run, one series per prompt length. Its requests are never part of the results.
 *
 * @param tolerance how far the last three runs of a series may lie apart, as a share of their median
 * @param toleranceFloorNanos a distance that is always close enough, in nanoseconds
 * @param series what was run at each prompt length
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record WarmUp(double tolerance, long toleranceFloorNanos, List<Series> series) {

    /** @throws IllegalArgumentException for two series at one prompt length, or a tolerance that is negative or NaN */
    public WarmUp {
        series = List.copyOf(series);
        if (!(tolerance >= 0) || toleranceFloorNanos < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "tolerance = %s, toleranceFloorNanos = %s: must not be negative",
                    tolerance,
                    toleranceFloorNanos));
        }
        if (series.stream().map(Series::promptTokens).distinct().count() < series.size()) {
            throw new IllegalArgumentException("more than one warm-up series at one prompt length");
        }
    }

    /** {@return whether every prompt length was brought to agreement; false where nothing was warmed} */
    public boolean isWarm() {
        return !series.isEmpty() && series.stream().allMatch(Series::warm);
    }

    /**
     * The warm-up requests at one prompt length.
     *
     * @param promptTokens the prompt length
     * @param outputTokens the output tokens of each request, at least 8
     * @param ttftNanos the TTFT of each, in order; empty where answers came as a whole
     * @param itlMeanNanos the mean gap of each, in order; empty where they came in one chunk
     * @param warm whether the last three agree in all that there is
     * @param e2eNanos the E2E of each, in order, where answers came as a whole; else empty
     */
    public record Series(
            int promptTokens,
            int outputTokens,
            List<Long> ttftNanos,
            List<Long> itlMeanNanos,
            boolean warm,
            List<Long> e2eNanos) {

        public Series {
            ttftNanos = List.copyOf(ttftNanos);
            itlMeanNanos = List.copyOf(itlMeanNanos);
            e2eNanos = List.copyOf(e2eNanos);
        }

        /** Of streams. */
        public Series(int promptTokens, int outputTokens, List<Long> ttftNanos, List<Long> itlMeanNanos, boolean warm) {
            this(promptTokens, outputTokens, ttftNanos, itlMeanNanos, warm, List.of());
        }
    }
}
