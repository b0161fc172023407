package io.github.latencybudget.baseline;

import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.ThinkTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What differs between two runs. Of the prompt lengths their shares have to agree and not how many requests were planned: that
 * changes how much is known and not what is measured.
 */
record ConditionsCheck(Conditions baseline, Conditions run) {

    /** {@return each condition that differs, with both values} */
    List<String> differences() {
        List<String> differences = new ArrayList<>();
        compare("model", Conditions::model, differences);
        compare("weights", Conditions::weights, differences);
        compare("data type", Conditions::dtype, differences);
        compare("device", Conditions::device, differences);
        compare("prompts", c -> c.workload().toString(), differences);
        if (run.workload().file().isPresent()) {
            differences.add(
                    "prompts: a run with those of a file is compared with no baseline, for hardly two have one length; compare runs of declared lengths");
        }
        // Of a draw, the shares agree and not how often each length came.
        if (!run.workload().drawsPrompts()
                && !areOfOneDistribution(baseline.requestsByPromptTokens(), run.requestsByPromptTokens())) {
            compare("prompt lengths", Conditions::promptLengths, differences);
        }
        compare("output tokens", Conditions::outputTokens, differences);
        compare("sampling", c -> c.sampling().withSeed(0), differences);
        if (baseline.openLoop().isEmpty() && run.openLoop().isEmpty()) {
            compare("concurrency", Conditions::concurrency, differences);
            compare("think time", ConditionsCheck::thinkTime, differences);
        } else {
            // How many were in flight is then a result.
            compare("load", ConditionsCheck::load, differences);
        }
        SortedSet<String> settings = new TreeSet<>(baseline.settings().keySet());
        settings.addAll(run.settings().keySet());
        settings.forEach(s -> compare(s, c -> c.settings().getOrDefault(s, "as by default"), differences));
        return differences;
    }

    private void compare(String name, Function<Conditions, Object> condition, List<String> differences) {
        Object before = condition.apply(baseline);
        Object now = condition.apply(run);
        if (!before.equals(now)) {
            differences.add(String.format(Locale.ROOT, "%s: the baseline has %s, this run %s", name, before, now));
        }
    }

    private static String thinkTime(Conditions conditions) {
        return conditions.workload().thinkTime().map(ThinkTime::toString).orElse("none");
    }

    private static String load(Conditions conditions) {
        return conditions.openLoop().map(ConditionsCheck::inWords).orElse(conditions.load());
    }

    private static String inWords(Load.Open open) {
        return String.format(
                Locale.ROOT,
                "%s, at most %s in flight and %s queued",
                open.text(),
                open.maxInFlight().isPresent() ? open.maxInFlight().getAsInt() : "as many as it can have",
                open.maxQueued());
    }

    private static boolean areOfOneDistribution(SortedMap<Integer, Integer> one, SortedMap<Integer, Integer> other) {
        Set<Integer> lengths = one.keySet();
        long all = sum(one);
        long allOfOther = sum(other);
        return lengths.equals(other.keySet())
                && lengths.stream().allMatch(l -> one.get(l) * allOfOther == other.get(l) * all);
    }

    private static long sum(Map<Integer, Integer> requests) {
        return requests.values().stream().mapToLong(Integer::longValue).sum();
    }
}
