package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PrefillPauses;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/** Says what the gaps above a limit have to do with the prefills of other requests. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PauseText {

    private PauseText() {}

    /** {@return it for the gaps that a rule is about; empty where the engine cannot be looked into, or no gap is above its limit} */
    static Optional<String> of(Rule rule, Measurement measurement) {
        return of(
                PrefillPauses.of(
                        measurement.completed().stream().filter(rule::appliesTo).toList(), measurement.steps()),
                rule.limitInUnit(),
                measurement);
    }

    /** {@return the same for these gaps and a limit in nanoseconds} */
    public static Optional<String> of(PrefillPauses pauses, double limitNanos, Measurement measurement) {
        if (measurement.steps().isEmpty() || measurement.conditions().concurrency() == 1) {
            return Optional.empty();
        }
        PrefillPauses.Above above = pauses.above(limitNanos);
        if (above.gaps() == 0) {
            return Optional.empty();
        }
        return Optional.of(above.longest()
                .map(longest -> String.format(
                        Locale.ROOT,
                        "%s of the %s gaps above the limit contain the prefill of another request (longest %s, %s): bound the prompt length, or chunk prefills",
                        above.touched(),
                        above.gaps(),
                        Quantity.of(Metric.ITL, longest.nanos()),
                        requests(longest.prefilled())))
                .orElse(String.format(
                        Locale.ROOT,
                        "none of the %s gaps above the limit contains the prefill of another request",
                        above.gaps())));
    }

    /** {@return such as {@code request 12} or {@code requests 12, 13}} */
    public static String requests(List<Integer> numbers) {
        return (numbers.size() == 1 ? "request " : "requests ")
                + numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
