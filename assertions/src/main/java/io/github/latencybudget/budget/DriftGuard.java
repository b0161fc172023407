package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Drift;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether a run was in a steady state: the first and the last third of the requests of each prompt length agree in TTFT and in the
 * mean gap. They do not where the medians differ by more than a share, by more than the warm-up's floor in time, and so clearly
 * that a steady run would show it in one of a hundred at most.
 */
final class DriftGuard {

    private static final double FALSE_ALARMS = 0.01;
    private static final List<Metric> LEVELS = List.of(Metric.TTFT, Metric.TPOT);

    private DriftGuard() {}

    static GuardCheck check(Measurement measurement, double mostShare) {
        Map<Integer, List<TokenTrace>> byLength = steadyLoad(measurement).stream()
                .collect(Collectors.groupingBy(TokenTrace::promptTokens, TreeMap::new, Collectors.toList()));
        double level = FALSE_ALARMS / Math.max(1, byLength.size() * LEVELS.size());
        List<String> seen = new ArrayList<>();
        List<String> unseen = new ArrayList<>();
        for (Map.Entry<Integer, List<TokenTrace>> length : byLength.entrySet()) {
            for (Metric metric : LEVELS) {
                double[] values = length.getValue().stream()
                        .flatMapToDouble(t -> Arrays.stream(metric.of(t)))
                        .toArray();
                Optional<Drift> drift = Drift.of(values);
                if (drift.isEmpty()) {
                    unseen.add("%s completed requests with prompts of %s tokens gave %s"
                            .formatted(values.length, length.getKey(), name(metric)));
                } else if (isFound(
                        drift.get(), mostShare, level, measurement.warmUp().toleranceFloorNanos())) {
                    return found(drift.get(), metric, length.getKey());
                } else {
                    seen.add("%s at %s tokens %s".formatted(name(metric), length.getKey(), change(drift.get())));
                }
            }
        }
        if (byLength.isEmpty() || !unseen.isEmpty()) {
            return GuardCheck.notChecked("too few to compare the first third with the last: %s; it takes %s"
                    .formatted(
                            unseen.isEmpty() ? "no request completed" : String.join(", ", unseen),
                            Drift.LEAST_REQUESTS));
        }
        return GuardCheck.clear(String.join(", ", seen));
    }

    /**
     * With several lengths in flight together, the load changes when one of them is decided and makes room for the others: what
     * came after that is no drift.
     */
    private static List<TokenTrace> steadyLoad(Measurement measurement) {
        List<TokenTrace> completed = measurement.completed();
        if (measurement.conditions().concurrency() == 1) {
            return completed;
        }
        int last = measurement.traces().stream()
                .collect(Collectors.toMap(TokenTrace::promptTokens, TokenTrace::request, Math::max))
                .values()
                .stream()
                .mapToInt(Integer::intValue)
                .min()
                .orElse(0);
        boolean isOneLength = measurement.traces().stream()
                        .mapToInt(TokenTrace::promptTokens)
                        .distinct()
                        .count()
                == 1;
        return isOneLength
                ? completed
                : completed.stream().filter(t -> t.request() <= last).toList();
    }

    private static boolean isFound(Drift drift, double mostShare, double level, long floorNanos) {
        return drift.isMoreThan(mostShare) && Math.abs(drift.shift()) > floorNanos && drift.pValue() <= level;
    }

    private static GuardCheck found(Drift drift, Metric metric, int promptTokens) {
        boolean isSlower = drift.shift() > 0;
        return GuardCheck.found(
                isSlower ? Finding.Kind.SLOWED_DOWN : Finding.Kind.SPED_UP,
                "the run became %s while it lasted: median %s at %s tokens %s in the first third, %s in the last (%s, %s requests each); %s"
                        .formatted(
                                isSlower ? "slower" : "faster",
                                name(metric),
                                promptTokens,
                                Quantity.of(metric, drift.firstMedian()),
                                Quantity.of(metric, drift.lastMedian()),
                                change(drift),
                                drift.requestsPerThird(),
                                isSlower
                                        ? "look for heat, a leak or another load on the machine, and measure again"
                                        : "it began before its steady state: give the warm-up more runs, or quieten the machine"));
    }

    private static String name(Metric metric) {
        return metric == Metric.TPOT ? "mean gap" : metric.label();
    }

    private static String change(Drift drift) {
        return drift.firstMedian() == 0
                ? "from nothing"
                : String.format(Locale.ROOT, "%+.1f%%", 100 * drift.shift() / drift.firstMedian());
    }
}
