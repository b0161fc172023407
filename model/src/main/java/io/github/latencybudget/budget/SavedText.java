package io.github.latencybudget.budget;

import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/** Says how many requests a run took of those that it might have taken, and what that saved. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class SavedText {

    private static final double NANOS_PER_SECOND = 1e9;

    private SavedText() {}

    /** {@return such as {@code 64 of at most 200 requests, about 54 s saved}; empty where none was left out} */
    public static Optional<String> of(Measurement measurement) {
        int planned = measurement.conditions().requestsByPromptTokens().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        int measured = measurement.traces().size();
        return measured == 0 || measured >= planned
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s of at most %s requests, about %s s saved",
                        measured,
                        planned,
                        seconds((planned - measured) * (nanos(measurement.traces()) / measured))));
    }

    /** From the first start to the last token, so a request that came to nothing takes no time. */
    private static double nanos(List<TokenTrace> traces) {
        long origin = traces.get(0).startNanos();
        return traces.stream()
                .mapToLong(
                        t -> t.startNanos() - origin + StreamMetrics.e2eNanos(t).orElse(0))
                .max()
                .orElse(0);
    }

    private static String seconds(double nanos) {
        double seconds = nanos / NANOS_PER_SECOND;
        return String.format(Locale.ROOT, seconds < 10 ? "%.1f" : "%.0f", seconds);
    }
}
