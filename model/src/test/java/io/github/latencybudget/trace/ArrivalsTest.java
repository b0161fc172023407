package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void theHighestRateOfARampIsThatOfOneOfItsEnds() {
        assertThat(new Arrivals.Constant(5).highestRequestsPerSecond()).isEqualTo(5);
        assertThat(new Arrivals.Poisson(2.5, 42).highestRequestsPerSecond()).isEqualTo(2.5);
        assertThat(new Arrivals.Ramp(0, 20, MINUTE).highestRequestsPerSecond()).isEqualTo(20);
        assertThat(new Arrivals.Ramp(30, 20, MINUTE).highestRequestsPerSecond()).isEqualTo(30);
    }

    @Test
    void aRampTakesAtMostADayAndAtLeastANanosecond() {
        assertThat(Arrivals.Ramp.overSeconds(0, 20, 1.5)).isEqualTo(new Arrivals.Ramp(0, 20, Duration.ofMillis(1500)));
        assertThat(Arrivals.Ramp.overSeconds(0, 20, 86_400).over()).isEqualTo(Duration.ofDays(1));
        assertThat(Arrivals.Ramp.overSeconds(0, 20, 1e-10).over()).isEqualTo(Duration.ofNanos(1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 86_400.5, Double.NaN})
    void secondsThatNoRampTakesAreRefused(double seconds) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Arrivals.Ramp.overSeconds(0, 20, seconds))
                .withMessage("seconds = %s: must be above 0 and at most one day", seconds);
    }

    @Test
    void aRateIsOneThatAScheduleCanHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Constant(Double.NaN))
                .withMessage("requestsPerSecond = NaN: must be above 0 and at most 1000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(-1, 20, MINUTE))
                .withMessage("fromRequestsPerSecond = -1.0: must be at least 0 and at most 1000000");
    }
}
