package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.trace.Arrivals;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

    private static final double SECOND = 1e9;

    @Test
    void constantArrivalsAreAtEqualDistancesAndNoErrorAddsUp() {
        assertThat(first(4, new Arrivals.Constant(5))).containsExactly(0, 200_000_000, 400_000_000, 600_000_000);
        assertThat(first(3_000_001, new Arrivals.Constant(3))[3_000_000]).isEqualTo(1_000_000_000_000_000L);
    }

    /** From 0 to 2 requests per second within 2 seconds, t^2 / 2 are due before t. */
    @Test
    void aRampHasAsManyAsTheIntegralOfItsRate() {
        assertThat(first(5, new Arrivals.Ramp(0, 2, Duration.ofSeconds(2))))
                .containsExactly(
                        0,
                        Math.round(Math.sqrt(2) * SECOND),
                        2_000_000_000,
                        // and then it stays
                        2_500_000_000L,
                        3_000_000_000L);
    }

    @Test
    void aRampMayFall() {
        // 4 t - t^2 / 2 are due before t.
        assertThat(first(9, new Arrivals.Ramp(4, 2, Duration.ofSeconds(2))))
                .containsExactly(LongStream.range(0, 9)
                        .map(n -> n < 6
                                ? Math.round((4 - Math.sqrt(16 - 2 * n)) * SECOND)
                                : 2_000_000_000L + (n - 6) * 500_000_000L)
                        .toArray());
    }

    @Test
    void aSeedGivesTheSamePoissonArrivals() {
        Random random = new Random(42);
        double seconds = 0;
        long[] expected = new long[3];
        for (int i = 0; i < expected.length; i++) {
            seconds += -Math.log1p(-random.nextDouble()) / 5;
            expected[i] = Math.round(seconds * SECOND);
        }

        assertThat(first(3, new Arrivals.Poisson(5, 42))).containsExactly(expected);
        assertThat(first(3, new Arrivals.Poisson(5, 43))).doesNotContain(expected);
    }

    /** Exponential distances have a mean of 1 / rate, and as large a standard deviation. */
    @Test
    void poissonArrivalsHaveTheDistancesOfIndependentUsers() {
        int n = 200_000;
        long[] due = first(n, new Arrivals.Poisson(50, 7));
        double[] gaps = LongStream.range(1, n)
                .mapToDouble(i -> (due[(int) i] - due[(int) i - 1]) / SECOND)
                .toArray();
        double mean = DoubleStream.of(gaps).average().orElseThrow();
        double variance = DoubleStream.of(gaps)
                .map(g -> (g - mean) * (g - mean))
                .average()
                .orElseThrow();

        assertThat(due).isSorted();
        assertThat(mean).isCloseTo(0.02, within(0.0003));
        assertThat(Math.sqrt(variance)).isCloseTo(0.02, within(0.0003));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e7})
    void aRateThatIsNoneIsRefused(double rate) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Constant(rate))
                .withMessage("requestsPerSecond = %s: must be above 0 and at most 1000000", rate);
        assertThatIllegalArgumentException().isThrownBy(() -> new Arrivals.Poisson(rate, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(1, rate, Duration.ofSeconds(1)))
                .withMessage("toRequestsPerSecond = %s: must be above 0 and at most 1000000", rate);
    }

    @Test
    void aRampThatIsNoneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(-1, 1, Duration.ofSeconds(1)))
                .withMessage("fromRequestsPerSecond = -1.0: must be at least 0 and at most 1000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(2, 2, Duration.ofSeconds(1)))
                .withMessage("toRequestsPerSecond = 2.0: a ramp ends at another rate than it starts with");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Arrivals.Ramp(1, 2, Duration.ZERO))
                .withMessage("over = PT0S: must be above 0");
    }

    private static long[] first(int n, Arrivals arrivals) {
        LongSupplier schedule = Schedule.of(arrivals);
        return LongStream.generate(schedule).limit(n).toArray();
    }
}
