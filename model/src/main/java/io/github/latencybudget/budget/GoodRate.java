package io.github.latencybudget.budget;

import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Measurement;
import java.util.Locale;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/** How many good requests there were per second. Reported and not judged, for it depends on how many are sent. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class GoodRate {

    private static final double NANOS_PER_SECOND = 1e9;

    private GoodRate() {}

    /** {@return the good requests of a goodput rule over the seconds of the run; empty for other rules, and where there is no time} */
    public static OptionalDouble perSecond(Verdict verdict, Measurement measurement) {
        if (!(verdict.rule() instanceof GoodputRule) || verdict.evidence().isEmpty()) {
            return OptionalDouble.empty();
        }
        Evidence evidence = verdict.evidence().get();
        int good = evidence.requests() - evidence.exceedances().orElseThrow();
        return SystemThroughput.of(measurement.traces())
                .map(run -> OptionalDouble.of(NANOS_PER_SECOND * good / run.windowNanos()))
                .orElse(OptionalDouble.empty());
    }

    /** {@return such as {@code 0.75 good requests per second}} */
    public static String text(double perSecond) {
        return String.format(Locale.ROOT, "%.2f good requests per second", perSecond);
    }
}
