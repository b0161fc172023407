package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Drift;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether a run was in a steady state: the first and the last third of the requests of each prompt length agree in what the rules
 * are about. They do not where the medians differ by more than a share, by more than the warm-up's floor in time, so clearly that
 * a steady run would show it in one of a hundred at most, and near a limit: on a shared machine, what lies far from every limit
 * nearly always drifts a little, and decides nothing.
 */
final class DriftGuard {

    private static final double FALSE_ALARMS = 0.01;

    /** What stands for every length of a file, whose lengths are many and are drawn all the while. */
    private static final int ALL = 0;

    private DriftGuard() {}

    /** What is compared at one prompt length. */
    private record Level(int promptTokens, Metric metric) {

        private String text() {
            return (metric == Metric.TPOT ? "mean gap" : metric.label())
                    + (promptTokens == ALL
                            ? " of all prompts"
                            : String.format(Locale.ROOT, " at %s tokens", promptTokens));
        }
    }

    static GuardCheck check(Measurement measurement, List<Rule> rules, double mostShare) {
        boolean isOfFile = measurement.conditions().workload().file().isPresent();
        Map<Integer, List<TokenTrace>> byLength = SteadyLoad.of(measurement).stream()
                .collect(Collectors.groupingBy(
                        t -> isOfFile ? ALL : t.promptTokens(), TreeMap::new, Collectors.toList()));
        Map<Level, List<DriftSubject>> levels = levels(byLength, rules);
        if (levels.isEmpty() && !byLength.isEmpty()) {
            return GuardCheck.notApplicable(
                    rules.stream().anyMatch(DriftRule.class::isInstance)
                            ? "the drift has a rule of its own"
                            : "no rule is about a time");
        }
        double alpha = FALSE_ALARMS / Math.max(1, levels.size());
        List<String> seen = new ArrayList<>();
        List<String> unseen = new ArrayList<>();
        for (Map.Entry<Level, List<DriftSubject>> entry : levels.entrySet()) {
            Level level = entry.getKey();
            List<TokenTrace> traces = byLength.get(level.promptTokens());
            double[] values = traces.stream()
                    .flatMapToDouble(t -> Arrays.stream(level.metric().of(t)))
                    .toArray();
            Optional<Drift> drift = Drift.of(values);
            if (drift.isEmpty()) {
                unseen.add(String.format(Locale.ROOT, "%s of %s requests", level.text(), values.length));
                continue;
            }
            boolean isClear = isClear(drift.get(), mostShare, alpha, measurement);
            if (isClear && isNearALimit(entry.getValue(), traces, drift.get().requestsPerThird())) {
                return found(
                        drift.get(), level, measurement.conditions().openLoop().isPresent());
            }
            seen.add(String.format(
                    Locale.ROOT, "%s %s%s", level.text(), change(drift.get()), isClear ? ", far from its limit" : ""));
        }
        return levels.isEmpty() || !unseen.isEmpty()
                ? GuardCheck.notChecked(String.format(
                        Locale.ROOT,
                        "too few to compare the first third with the last: %s; it takes %s",
                        unseen.isEmpty() ? "no completed request" : String.join(", ", unseen),
                        Drift.LEAST_REQUESTS))
                : GuardCheck.clear(String.join(", ", seen));
    }

    private static Map<Level, List<DriftSubject>> levels(Map<Integer, List<TokenTrace>> byLength, List<Rule> rules) {
        List<DriftSubject> subjects = rules.isEmpty()
                ? DriftSubject.withoutLimit().toList()
                : rules.stream().flatMap(DriftSubject::of).toList();
        Map<Level, List<DriftSubject>> levels = new LinkedHashMap<>();
        for (int length : byLength.keySet()) {
            subjects.stream()
                    .filter(s -> length == ALL || s.isAbout().test(length))
                    .forEach(s -> levels.computeIfAbsent(new Level(length, s.level()), l -> new ArrayList<>())
                            .add(s));
        }
        return levels;
    }

    private static boolean isClear(Drift drift, double mostShare, double alpha, Measurement measurement) {
        return drift.isMoreThan(mostShare)
                && Math.abs(drift.shift()) > measurement.warmUp().toleranceFloorNanos()
                && drift.pValue() <= alpha;
    }

    private static boolean isNearALimit(List<DriftSubject> subjects, List<TokenTrace> traces, int third) {
        List<TokenTrace> first = traces.subList(0, third);
        List<TokenTrace> last = traces.subList(traces.size() - third, traces.size());
        return subjects.stream()
                .anyMatch(s -> s.isNear().test(meant(first, s)) || s.isNear().test(meant(last, s)));
    }

    private static List<TokenTrace> meant(List<TokenTrace> traces, DriftSubject subject) {
        return traces.stream()
                .filter(t -> subject.isAbout().test(t.promptTokens()))
                .toList();
    }

    private static GuardCheck found(Drift drift, Level level, boolean isOpenLoop) {
        boolean isSlower = drift.shift() > 0;
        return GuardCheck.found(
                isSlower ? Finding.Kind.SLOWED_DOWN : Finding.Kind.SPED_UP,
                String.format(
                        Locale.ROOT,
                        "the run became %s while it lasted: median %s %s in the first third, %s in the last (%s, %s requests each); %s",
                        isSlower ? "slower" : "faster",
                        level.text(),
                        Quantity.of(level.metric(), drift.firstMedian()),
                        Quantity.of(level.metric(), drift.lastMedian()),
                        change(drift),
                        drift.requestsPerThird(),
                        nextStep(isSlower, isOpenLoop)));
    }

    private static String nextStep(boolean isSlower, boolean isOpenLoop) {
        if (!isSlower) {
            return "it began before its steady state: give the warm-up more runs, or quieten the machine";
        }
        return isOpenLoop
                ? "where more requests are due than the target answers, they queue ever longer: send fewer per second; else look for heat, a leak or another load on the machine, and measure again"
                : "look for heat, a leak or another load on the machine, and measure again";
    }

    private static String change(Drift drift) {
        return drift.firstMedian() == 0
                ? "from nothing"
                : String.format(Locale.ROOT, "%+.1f%%", 100 * drift.shift() / drift.firstMedian());
    }
}
