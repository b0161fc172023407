package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.PrefixCache;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;

/** Whether prompts were served from a prefix cache, which makes a TTFT that no new prompt would have. */
final class PrefixCacheGuard {

    private PrefixCacheGuard() {}

    static GuardCheck check(Measurement measurement, double mostShare) {
        List<TokenTrace> traces = measurement.traces();
        List<TokenTrace> cached =
                traces.stream().filter(t -> PrefixCache.isCached(t, mostShare)).toList();
        if (!cached.isEmpty()) {
            TokenTrace first = cached.get(0);
            return GuardCheck.found(
                    Finding.Kind.PREFIX_CACHE,
                    String.format(
                            Locale.ROOT,
                            "%s of %s requests had more than %s of their prompt served from a prefix cache, such as request %s with %s of %s tokens; send prompts that differ from the first token on, switch prefix caching off, or, where a warm cache is what is to be measured, say so with latencybudget.guards.max-cached-share=1",
                            cached.size(),
                            traces.size(),
                            Quantity.percent(mostShare),
                            first.request(),
                            first.cachedPromptTokens().getAsInt(),
                            first.promptTokens()));
        }
        long unknown =
                traces.stream().filter(t -> t.cachedPromptTokens().isEmpty()).count();
        return unknown == 0
                ? GuardCheck.clear()
                : GuardCheck.notChecked(String.format(
                        Locale.ROOT,
                        "the target does not say of %s of %s requests how much of their prompt was cached",
                        unknown,
                        traces.size()));
    }
}
