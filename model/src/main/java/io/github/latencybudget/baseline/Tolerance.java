package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.Confidence;
import java.math.BigDecimal;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * From where on a run is worse than its baseline, and how sure that has to be.
 *
 * @param percent what a change has to be beyond to count, in percent of the baseline; changes between two runs of the same thing
 *     have to be below it
 * @param judgesP95 whether the P95 of each metric is judged too, beside the typical request; it takes about 80 requests of each
 *     side
 * @param confidence of each bound
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Tolerance(double percent, boolean judgesP95, Confidence confidence) {

    /** @throws IllegalArgumentException for a percentage that is not above 0 and below 100 */
    public Tolerance {
        if (!(percent > 0 && percent < 100)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "percent = %s: must be above 0 and below 100", percent));
        }
    }

    /** {@return a tolerance for the typical request, at 95% confidence} */
    public static Tolerance ofPercent(double percent) {
        return new Tolerance(percent, false, Confidence.DEFAULT);
    }

    /** {@return this, judging the P95 too} */
    public Tolerance withP95() {
        return new Tolerance(percent, true, confidence);
    }

    double share() {
        return percent / 100;
    }

    /** {@return such as {@code 10%}} */
    String percentInWords() {
        return BigDecimal.valueOf(percent).stripTrailingZeros().toPlainString() + "%";
    }
}
