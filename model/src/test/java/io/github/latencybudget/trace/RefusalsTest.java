package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RefusalsTest {

    @ParameterizedTest
    @CsvSource({"-1, 0, 0", "0, -1, 0", "0, 0, -1"})
    void aTraceHasNoNegativeCount(int request, int promptTokens, int requestedOutputTokens) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trace(request, promptTokens, requestedOutputTokens, Outcome.FAILED, "broke"))
                .withMessage(
                        "request %s, promptTokens %s and requestedOutputTokens %s must not be negative",
                        request, promptTokens, requestedOutputTokens);
    }

    @Test
    void aCompletedRequestHasATokenAndNoReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trace(0, 1, 1, Outcome.COMPLETED, null))
                .withMessage("a request without a token is EMPTY, not COMPLETED");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trace(0, 1, 1, Outcome.COMPLETED, "late", 1))
                .withMessage("a request that is COMPLETED has not a reason");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMPLETED")
    void everyOtherRequestHasAReason(Outcome outcome) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trace(0, 1, 1, outcome, null))
                .withMessage("a request that is %s needs a reason", outcome);
    }

    @Test
    void anEmptyRequestHasNoToken() {
        assertThatIllegalArgumentException().isThrownBy(() -> trace(0, 1, 1, Outcome.EMPTY, "no token came", 1));
    }

    @Test
    void aTraceDoesNotShareItsArrivals() {
        long[] arrivals = {1, 2};
        TokenTrace trace = trace(0, 1, 2, Outcome.COMPLETED, null, arrivals);
        arrivals[0] = 99;

        assertThat(trace.arrivalNanos(1)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void memoryThatCouldNotBeReadIsAbsentAndNotZero(long bytes) {
        Traces run = Traces.run(1, 1).memory(OptionalLong.of(bytes));

        assertThatIllegalArgumentException()
                .isThrownBy(run::measurement)
                .withMessage("peakDeviceMemoryBytes = %s: must be at least 1, or empty", bytes);
    }

    @Test
    void aPromptLengthHasOneWarmUpSeries() {
        WarmUp.Series series = new WarmUp.Series(512, 8, List.of(), List.of(), true);

        assertThatIllegalArgumentException().isThrownBy(() -> new WarmUp(0.1, 0, List.of(series, series)));
    }

    @ParameterizedTest
    @CsvSource({"-0.1, 0", "NaN, 0", "0.1, -1"})
    void aToleranceIsNotNegative(double tolerance, long floorNanos) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WarmUp(tolerance, floorNanos, List.of()));
    }

    @Test
    void nothingWarmedIsNotWarm() {
        assertThat(new WarmUp(0.1, 0, List.of()).isWarm()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 9e-5, Double.NaN, Double.POSITIVE_INFINITY})
    void aTemperatureIsFiniteAndNotNegative(double temperature) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sampling(temperature, 1))
                .withMessage("temperature = %s: must be 0, or finite and at least 1.0E-4", temperature);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 1.1, Double.NaN})
    void aTopPIsAShare(double topP) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sampling(1, topP))
                .withMessage("topP = %s: must be above 0 and at most 1", topP);
    }

    private static TokenTrace trace(
            int request,
            int promptTokens,
            int requestedOutputTokens,
            Outcome outcome,
            String reason,
            long... arrivalNanos) {
        return new TokenTrace(request, promptTokens, requestedOutputTokens, 0, arrivalNanos, outcome, reason);
    }
}
