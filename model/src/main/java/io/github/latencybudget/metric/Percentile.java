package io.github.latencybudget.metric;

import java.math.BigDecimal;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * A percentile by nearest rank: of {@code n} values in ascending order, the one at rank {@code ceil(p/100 * n)}. Nothing is
 * interpolated, so the result is always a value that was measured.
 *
 * @param thousandths the percentile in thousandths of a percent: 95,000 for P95. Kept as an integer so that ranks are exact
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Percentile(int thousandths) {

    /** The median. */
    public static final Percentile P50 = of(50);
    /** The 95th percentile. */
    public static final Percentile P95 = of(95);
    /** The 99th percentile. */
    public static final Percentile P99 = of(99);

    private static final int ALL = 100_000;

    /** @throws IllegalArgumentException outside (0, 100] percent */
    public Percentile {
        if (thousandths < 1 || thousandths > ALL) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "percentile = %s: must be above 0 and at most 100", thousandths / 1000.0));
        }
    }

    /**
     * @param percent such as 95 or 99.9, with at most three decimals
     * @throws IllegalArgumentException outside (0, 100], for NaN, or for more than three decimals
     */
    public static Percentile of(double percent) {
        if (!(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "percentile = %s: must be above 0 and at most 100", percent));
        }
        try {
            return new Percentile(BigDecimal.valueOf(percent).movePointRight(3).intValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "percentile = %s: must have at most three decimals", percent), e);
        }
    }

    /**
     * {@return the rank, from 1, of this percentile among {@code n} values}
     *
     * @throws IllegalArgumentException where {@code n} is below 1
     */
    public int rank(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("no percentile of " + n + " values");
        }
        return (int) (((long) thousandths * n + ALL - 1) / ALL);
    }

    /** {@return the share of values that may lie above, such as 0.05 for P95} */
    public double shareAbove() {
        return (ALL - thousandths) / (double) ALL;
    }

    /** {@return such as {@code P95} or {@code P99.9}} */
    @Override
    public String toString() {
        return "P"
                + BigDecimal.valueOf(thousandths)
                        .movePointLeft(3)
                        .stripTrailingZeros()
                        .toPlainString();
    }
}
