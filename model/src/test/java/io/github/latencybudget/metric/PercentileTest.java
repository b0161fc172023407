package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PercentileTest {

    // Evaluation case 1, and the ranks around it that floating point gets wrong.
    @ParameterizedTest
    @CsvSource({
        "50, 100, 50",
        "95, 100, 95",
        "99, 100, 99",
        "7, 100, 7",
        "95, 20, 19",
        "99, 3, 3",
        "0.001, 1, 1",
        "0.001, 100000, 1",
        "0.001, 100001, 2",
        "99.9, 1000, 999",
        "99.9, 1001, 1000",
        "99.999, 2147483647, 2147462173",
        "100, 2147483647, 2147483647"
    })
    void theRankIsExact(double percent, int n, int rank) {
        assertThat(Percentile.of(percent).rank(n)).isEqualTo(rank);
    }

    @Test
    void theRankIsTheCeilingForEveryPercentileAndSize() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            Percentile percentile = new Percentile(1 + random.nextInt(100_000));
            int n = 1 + random.nextInt(i % 2 == 0 ? 300 : Integer.MAX_VALUE);
            int expected = BigDecimal.valueOf(percentile.thousandths())
                    .multiply(BigDecimal.valueOf(n))
                    .divide(BigDecimal.valueOf(100_000), 0, RoundingMode.CEILING)
                    .intValueExact();

            assertThat(percentile.rank(n)).as("%s of %s", percentile, n).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 100.001, Double.NaN, Double.POSITIVE_INFINITY})
    void aPercentileIsAboveZeroAndAtMostOneHundred(double percent) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Percentile.of(percent))
                .withMessage("percentile = %s: must be above 0 and at most 100", percent);
    }

    @ParameterizedTest
    @ValueSource(doubles = {99.9999, 1e-4, 33.333333333})
    void aPercentileHasAtMostThreeDecimals(double percent) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Percentile.of(percent))
                .withMessage("percentile = %s: must have at most three decimals", percent);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 100_001})
    void thousandthsAreHeldToTheSameRange(int thousandths) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Percentile(thousandths));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void nothingHasNoPercentile(int n) {
        assertThatIllegalArgumentException().isThrownBy(() -> Percentile.P95.rank(n));
    }

    @ParameterizedTest
    @CsvSource({"50, P50", "99.9, P99.9", "99.999, P99.999", "100, P100", "7, P7", "0.001, P0.001"})
    void itIsPrintedAsItIsWritten(double percent, String printed) {
        assertThat(Percentile.of(percent)).hasToString(printed);
    }

    @ParameterizedTest
    @CsvSource({"95, 0.05", "99.9, 0.001", "99.999, 0.00001", "100, 0"})
    void theShareAboveIsWhatIsLeft(double percent, double share) {
        assertThat(Percentile.of(percent).shareAbove()).isEqualTo(share);
    }
}
