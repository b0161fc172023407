package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/** Prints the bounds of what is judged. Each is one-sided: the two together are less sure than either. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class BoundsText {

    private BoundsText() {}

    /**
     * {@return such as {@code at least 253.0 ms and at most 259.0 ms, each with 95% confidence}}
     *
     * @param lower in the unit; empty where the samples are too few to say
     * @param upper in the unit; empty where the samples are too few to say
     * @param limit what the bounds have to be told from in print
     */
    public static String of(
            Metric.Unit unit, OptionalDouble lower, OptionalDouble upper, double limit, Confidence confidence) {
        Optional<String> least = bound("at least ", unit, lower, limit);
        Optional<String> most = bound("at most ", unit, upper, limit);
        if (least.isPresent() && most.isPresent()) {
            return String.format(
                    Locale.ROOT, "%s and %s, each with %s confidence", least.get(), most.get(), confidence);
        }
        return least.or(() -> most)
                .map(b -> String.format(
                        Locale.ROOT,
                        "%s with %s confidence; no %s bound yet",
                        b,
                        confidence,
                        least.isPresent() ? "upper" : "lower"))
                .orElse(String.format(Locale.ROOT, "no bound yet with %s confidence", confidence));
    }

    private static Optional<String> bound(String words, Metric.Unit unit, OptionalDouble bound, double limit) {
        return bound.isPresent()
                ? Optional.of(words + Quantity.of(unit, bound.getAsDouble(), limit))
                : Optional.empty();
    }
}
