package io.github.latencybudget.budget;

import java.math.BigDecimal;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * How sure a verdict is: the probability of a wrong PASS, and that of a wrong BREACH, is at most {@code 1 - level}.
 *
 * @param level such as 0.95
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Confidence(double level) {

    /** 95%. */
    public static final Confidence DEFAULT = new Confidence(0.95);

    /** @throws IllegalArgumentException outside [0.5, 1) */
    public Confidence {
        if (!(level >= 0.5 && level < 1)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "confidence = %s: must be at least 0.5 and below 1", level));
        }
    }

    /** {@return the probability of a wrong verdict that is put up with} */
    public double alpha() {
        return 1 - level;
    }

    /** {@return such as {@code 95%}} */
    @Override
    public String toString() {
        return BigDecimal.valueOf(level).movePointRight(2).stripTrailingZeros().toPlainString() + "%";
    }
}
