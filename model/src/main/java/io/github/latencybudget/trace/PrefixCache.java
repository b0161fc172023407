package io.github.latencybudget.trace;

import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/** What a run has shown of the prefix cache of its target: a condition of its TTFT. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum PrefixCache {
    /** No request had more of its prompt served from it than the run allows. */
    COLD,
    /** At least one had. */
    WARM,
    /** The target does not say it of every request. */
    UNCHECKED;

    /** {@return what the requests of a run say} */
    public static PrefixCache of(Measurement measurement) {
        double most = measurement.watch().guards().threshold(Guard.MAX_CACHED_SHARE);
        List<TokenTrace> traces = measurement.traces();
        if (traces.stream().anyMatch(t -> isCached(t, most))) {
            return WARM;
        }
        return !traces.isEmpty()
                        && traces.stream().allMatch(t -> t.cachedPromptTokens().isPresent())
                ? COLD
                : UNCHECKED;
    }

    /** {@return whether more than this share of the request's prompt came from a prefix cache} */
    public static boolean isCached(TokenTrace trace, double mostShare) {
        return trace.cachedPromptTokens().orElse(0) > mostShare * trace.promptTokens();
    }

    /** {@return such as {@code cold}} */
    public String words() {
        return name().toLowerCase(Locale.ROOT);
    }
}
