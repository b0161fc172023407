package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds out how a run differs from its baseline. Each length by itself: what is slower at one may not show among others. */
record Comparing(Baseline baseline, Measurement run, Tolerance tolerance) {

    private static final List<Metric> METRICS =
            List.of(Metric.TTFT, Metric.ITL, Metric.TPOT, Metric.E2E, Metric.DECODE_TGS);

    Comparison comparison() {
        List<String> refusals = new ArrayList<>(
                new ConditionsCheck(baseline.measurement().conditions(), run.conditions()).differences());
        Baseline.obstacles(run).forEach(o -> refusals.add("this run: " + o));
        List<Change> changes = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        if (refusals.isEmpty()) {
            lengths().forEach(length -> METRICS.forEach(m -> compare(m, length, refusals, changes, leftOut)));
        }
        return new Comparison(
                baseline.name(),
                baseline.stored(),
                run,
                tolerance,
                refusals,
                refusals.isEmpty() ? changes : List.of(),
                refusals.isEmpty() ? leftOut.stream().distinct().toList() : List.of(),
                environment());
    }

    private Set<Integer> lengths() {
        return run.conditions().requestsByPromptTokens().keySet();
    }

    private void compare(Metric metric, int length, List<String> refusals, List<Change> changes, List<String> leftOut) {
        if (metric == Metric.DECODE_TGS && !isMemoryKnown()) {
            leftOut.add(
                    "decode TGS: the device memory in use could not be read, and a TGS value without it says nothing");
            return;
        }
        RequestSample before = sample(baseline.measurement(), metric, length);
        RequestSample now = sample(run, metric, length);
        if (before.traces().isEmpty() != now.traces().isEmpty()
                || metric == Metric.TTFT && now.traces().isEmpty()) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "%s for prompts of %s tokens: %s gave no value; measure every planned length",
                    metric.label(),
                    length,
                    now.traces().isEmpty() ? "this run" : "the baseline"));
            return;
        }
        if (now.traces().isEmpty()) {
            int outputTokens = run.conditions().outputTokens();
            leftOut.add(
                    outputTokens == 1
                            ? String.format(Locale.ROOT, "%s: outputs of 1 token have no gap", metric.label())
                            : String.format(Locale.ROOT, "%s: neither run gave a value", metric.label()));
            return;
        }
        ChangeTest test = new ChangeTest(before, now, length, tolerance);
        changes.add(test.typical());
        if (metric.unit() == Metric.Unit.NANOSECONDS) {
            changes.add(test.p95());
        }
    }

    private static RequestSample sample(Measurement measurement, Metric metric, int length) {
        return new RequestSample(
                metric,
                measurement.completed().stream()
                        .filter(t -> t.promptTokens() == length)
                        .toList(),
                Math.max(1, measurement.conditions().concurrency()));
    }

    private boolean isMemoryKnown() {
        return baseline.measurement().peakDeviceMemoryBytes().isPresent()
                && run.peakDeviceMemoryBytes().isPresent();
    }

    private List<String> environment() {
        SortedMap<String, String> before = details(baseline.measurement());
        SortedMap<String, String> now = details(run);
        SortedSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        return names.stream()
                .filter(n -> !before.getOrDefault(n, "").equals(now.getOrDefault(n, "")))
                .map(n -> String.format(
                        Locale.ROOT,
                        "%s: the baseline has %s, this run %s",
                        n,
                        before.getOrDefault(n, "none"),
                        now.getOrDefault(n, "none")))
                .toList();
    }

    /** With the memory, which a rate is to be told with. */
    private static SortedMap<String, String> details(Measurement measurement) {
        SortedMap<String, String> details =
                new TreeMap<>(measurement.environment().details());
        OptionalLong peak = measurement.peakDeviceMemoryBytes();
        if (peak.isPresent()) {
            details.put("peak device memory", Quantity.gibibytes(peak.getAsLong()));
        }
        return details;
    }
}
