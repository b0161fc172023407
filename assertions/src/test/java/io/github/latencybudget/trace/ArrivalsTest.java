package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

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
    void aRateIsOneThatAScheduleCanHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Constant(Double.NaN))
                .withMessage("requestsPerSecond = NaN: must be above 0 and at most 1000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(-1, 20, MINUTE))
                .withMessage("fromRequestsPerSecond = -1.0: must be at least 0 and at most 1000000");
    }
}
