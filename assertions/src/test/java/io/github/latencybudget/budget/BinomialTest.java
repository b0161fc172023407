package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BinomialTest {

    @ParameterizedTest
    @ValueSource(strings = {"0.001", "0.01", "0.05", "0.5", "0.93"})
    void tailsAreTheExactSums(String p) {
        for (int n : new int[] {1, 2, 17, 60, 301}) {
            Binomial binomial = new Binomial(n, Double.parseDouble(p));
            BigDecimal atMost = BigDecimal.ZERO;
            for (int k = 0; k < n; k++) {
                BigDecimal atLeast = BigDecimal.ONE.subtract(atMost);
                assertThat(binomial.atLeast(k)).isCloseTo(atLeast.doubleValue(), relative(atLeast));
                atMost = atMost.add(term(n, k, new BigDecimal(p)));
                assertThat(binomial.atMost(k)).isCloseTo(atMost.doubleValue(), relative(atMost));
            }
        }
    }

    @Test
    void outsideItsRangeTheTailsAreEmptyOrFull() {
        Binomial binomial = new Binomial(10, 0.05);

        assertThat(binomial.atMost(-1)).isZero();
        assertThat(binomial.atMost(10)).isOne();
        assertThat(binomial.atLeast(0)).isOne();
        assertThat(binomial.atLeast(11)).isZero();
    }

    @Test
    void aMillionTrialsStayWithinTheNormalApproximation() {
        Binomial binomial = new Binomial(1_000_000, 0.05);

        assertThat(binomial.atMost(50_000)).isCloseTo(0.5012, within(0.0005));
        // Two standard deviations of 217.9 below the mean.
        assertThat(binomial.atMost(49_564)).isCloseTo(0.0228, within(0.0005));
        assertThat(binomial.atLeast(50_436)).isCloseTo(0.0228, within(0.0005));
        assertThat(binomial.atMost(10)).isZero();
    }

    private static BigDecimal term(int n, int k, BigDecimal p) {
        BigInteger choose = BigInteger.ONE;
        for (int i = 1; i <= k; i++) {
            choose = choose.multiply(BigInteger.valueOf(n - i + 1)).divide(BigInteger.valueOf(i));
        }
        return new BigDecimal(choose)
                .multiply(p.pow(k))
                .multiply(BigDecimal.ONE.subtract(p).pow(n - k));
    }

    /** To 9 digits; where a tail is next to one, it is the complement that was summed. */
    private static Offset<Double> relative(BigDecimal exact) {
        return within(Math.max(1e-9 * exact.doubleValue(), Double.MIN_NORMAL));
    }
}
