package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The requests that completed while the load was the same. With several prompt lengths in flight together, it changes when one of
 * them is decided and makes room for the others: what comes after that is another load, and no drift. Where requests draw their
 * lengths, none makes room.
 */
final class SteadyLoad {

    private SteadyLoad() {}

    static List<TokenTrace> of(Measurement measurement) {
        Map<Integer, Integer> lastByLength = measurement.traces().stream()
                .collect(Collectors.toMap(TokenTrace::promptTokens, TokenTrace::request, Math::max));
        if (measurement.conditions().concurrency() == 1
                || lastByLength.size() < 2
                || measurement.conditions().workload().drawsPrompts()) {
            return measurement.completed();
        }
        int last =
                lastByLength.values().stream().mapToInt(Integer::intValue).min().orElseThrow();
        return measurement.completed().stream().filter(t -> t.request() <= last).toList();
    }
}
