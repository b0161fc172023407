package io.github.latencybudget.report;

import io.github.latencybudget.budget.PauseText;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PrefillPauses;
import io.github.latencybudget.metric.StepMetrics;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the engine did during a run, as text.
 *
 * @param times where the time of its steps goes
 * @param gaps the gaps with and without the prefill of another request; empty for one request at a time
 * @param causes what the gaps above the limits have to do with prefills
 * @param pauses the prefills that others waited for most
 */
record EngineView(List<PercentileRow> times, List<PercentileRow> gaps, List<Fact> causes, List<PauseRow> pauses) {

    private static final int MOST_PAUSES = 5;
    private static final int MOST_NAMED = 4;

    /** One prefill that others waited for. */
    record PauseRow(String prefilled, String prompt, String time, String delayed) {}

    static Optional<EngineView> of(Measurement measurement, List<RuleEntry> rules) {
        List<EngineStep> steps = measurement.steps();
        if (steps.isEmpty()) {
            return Optional.empty();
        }
        List<PercentileRow> times = Stream.of(EngineStep.Kind.values())
                .flatMap(kind -> {
                    String name = kind.name().toLowerCase(Locale.ROOT);
                    return Stream.of(
                            PercentileRow.of(name + " step", StepMetrics.durationNanos(steps, kind)),
                            PercentileRow.of(name + ", device time", StepMetrics.deviceNanos(steps, kind)),
                            PercentileRow.of(
                                    name + ", host time outside the device",
                                    StepMetrics.outsideDeviceNanos(steps, kind)));
                })
                .flatMap(Optional::stream)
                .toList();
        if (measurement.conditions().concurrency() == 1) {
            return Optional.of(new EngineView(times, List.of(), List.of(), List.of()));
        }
        PrefillPauses pauses = PrefillPauses.of(measurement.completed(), steps);
        return Optional.of(new EngineView(
                times,
                Stream.of(
                                PercentileRow.of("gaps with the prefill of another request", pauses.touched()),
                                PercentileRow.of("all other gaps", pauses.untouched()),
                                PercentileRow.of("prefill of others within a gap", pauses.prefillNanos()))
                        .flatMap(Optional::stream)
                        .toList(),
                rules.stream()
                        .filter(r -> r.limits(Metric.ITL))
                        .flatMap(r -> cause(r, measurement).stream())
                        .toList(),
                pauses.mostHarmful(MOST_PAUSES).stream()
                        .map(p -> row(p, measurement))
                        .toList()));
    }

    boolean hasGaps() {
        return !gaps.isEmpty();
    }

    boolean hasCauses() {
        return !causes.isEmpty();
    }

    boolean hasPauses() {
        return !pauses.isEmpty();
    }

    private static Optional<Fact> cause(RuleEntry rule, Measurement measurement) {
        List<TokenTrace> about = measurement.completed().stream()
                .filter(t -> rule.promptTokens() == null || rule.promptTokens().includes(t.promptTokens()))
                .toList();
        return PauseText.of(PrefillPauses.of(about, measurement.steps()), rule.limit(), measurement)
                .map(text -> new Fact(rule.rule(), text));
    }

    private static PauseRow row(PrefillPauses.Pause pause, Measurement measurement) {
        int promptTokens = measurement.traces().stream()
                .filter(t -> pause.prefilled().contains(t.request()))
                .mapToInt(TokenTrace::promptTokens)
                .sum();
        return new PauseRow(
                PauseText.requests(pause.prefilled()),
                promptTokens + " tokens",
                Quantity.of(Metric.ITL, pause.nanos()),
                waiting(pause.delayed()));
    }

    private static String waiting(List<Integer> requests) {
        return requests.size() <= MOST_NAMED
                ? PauseText.requests(requests)
                : String.format(
                        Locale.ROOT,
                        "%d requests between %d and %d",
                        requests.size(),
                        Collections.min(requests),
                        Collections.max(requests));
    }
}
