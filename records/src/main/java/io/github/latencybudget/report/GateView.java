package io.github.latencybudget.report;

import io.github.latencybudget.budget.LoadText;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.budget.SavedText;
import io.github.latencybudget.budget.SystemText;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PrefixCache;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import io.github.latencybudget.trace.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One gate as text: its status and the attempt that it rests on; of further attempts only how each ended.
 *
 * @param remark what the verdicts do not say; null where there is nothing more to say
 * @param comparison the run beside its baseline; null where it is not compared with one
 * @param serverCounts what the server says of its own work; empty where it was not asked
 * @param outcomes how the requests ended; empty where all completed
 * @param exchange what is known of the requests to an endpoint; null for one in process
 * @param engine what the engine did; null where it could not be looked into
 * @param record its file; null where there is none
 * @param sweep the steps of a sweep, of which the rest is about the one that decides; null for a single run
 */
record GateView(
        String anchor,
        String name,
        String id,
        String status,
        String style,
        @Nullable String remark,
        List<AttemptView> attempts,
        List<RuleView> rules,
        @Nullable ComparisonView comparison,
        List<Fact> findings,
        List<Fact> guards,
        List<Fact> conditions,
        List<Fact> serverCounts,
        List<OutcomeCount> outcomes,
        List<Fact> warmUps,
        @Nullable String tolerance,
        List<Plot> plots,
        @Nullable ExchangeView exchange,
        @Nullable EngineView engine,
        @Nullable SweepView sweep,
        List<Fact> environment,
        @Nullable String record) {

    /** One of several attempts. */
    record AttemptView(int attempt, String status, String style, String said, String record) {}

    /** How many requests ended in one way, for one reason. */
    record OutcomeCount(Outcome outcome, String reason, long count) {}

    /** Something that keeps a gate from being a clean pass, in words. */
    record Problem(String text) {}

    static GateView of(Gate gate, String anchor, boolean withEnvironment, Links links) {
        Optional<GateAttempt> deciding = gate.deciding();
        Optional<GateRecord> record = deciding.map(GateAttempt::record);
        Optional<Measurement> measured = deciding.flatMap(GateAttempt::measurement);
        JudgementEntry judgement = record.map(GateRecord::judgement).orElse(null);
        List<JudgementEntry.RuleEntry> rules = judgement == null ? List.of() : judgement.rules();
        return new GateView(
                anchor,
                gate.name(),
                gate.key().gate().toString(),
                gate.statusText(),
                gate.status().style(),
                gate.remark().orElse(null),
                gate.attempts().size() < 2
                        ? List.of()
                        : gate.attempts().stream().map(a -> attempt(a, links)).toList(),
                rules.stream().map(r -> RuleView.of(r, judgement.confidence())).toList(),
                record.map(GateRecord::comparison).map(ComparisonView::of).orElse(null),
                findings(judgement, measured),
                GuardFacts.of(judgement),
                measured.map(m -> conditions(m, record.orElseThrow())).orElse(List.of()),
                measured.map(ServerCounts::of).orElse(List.of()),
                measured.map(GateView::outcomes).orElse(List.of()),
                measured.map(m -> warmUps(m.warmUp())).orElse(List.of()),
                measured.map(m -> tolerance(m.warmUp())).orElse(null),
                measured.map(m -> Stream.of(
                                        GapDistribution.plot(m, rules),
                                        GapsByPosition.plot(m, rules),
                                        TtftByRequest.plot(m, rules),
                                        InFlightOverTime.plot(m),
                                        DelayOverTime.plot(m),
                                        BatchOverTime.plot(m))
                                .flatMap(Optional::stream)
                                .toList())
                        .orElse(List.of()),
                measured.flatMap(ExchangeView::of).orElse(null),
                measured.flatMap(m -> EngineView.of(m, rules)).orElse(null),
                record.flatMap(r -> SweepView.of(r, measured)).orElse(null),
                withEnvironment
                        ? measured.map(m -> PageView.details(m.environment())).orElse(List.of())
                        : List.of(),
                deciding.map(d -> links.to(d.path())).orElse(null));
    }

    /** {@return whether no row of its rules says what became of the gate, as with an altered record whose rules all hold} */
    boolean hasOwnRow() {
        return rules.stream().noneMatch(rule -> rule.style().equals(style));
    }

    boolean hasAttempts() {
        return !attempts.isEmpty();
    }

    boolean hasFindings() {
        return !findings.isEmpty();
    }

    boolean hasGuards() {
        return !guards.isEmpty();
    }

    boolean hasConditions() {
        return !conditions.isEmpty();
    }

    boolean hasServerCounts() {
        return !serverCounts.isEmpty();
    }

    boolean hasOutcomes() {
        return !outcomes.isEmpty();
    }

    boolean hasWarmUps() {
        return !warmUps.isEmpty();
    }

    boolean hasEnvironment() {
        return !environment.isEmpty();
    }

    /** {@return such as {@code Chat} or {@code Chat, attempt 2 of 2}} */
    String nameWithAttempt() {
        return attempts.isEmpty() ? name : name + ", " + status.substring(status.indexOf("attempt"));
    }

    /** {@return what keeps the gate from being a clean pass, one sentence each} */
    List<Problem> problems() {
        List<String> reasons = rules.stream()
                .filter(r -> r.reason() != null)
                .map(r -> r.rule() + ": " + r.reason())
                .toList();
        return Stream.of(
                        Stream.ofNullable(remark),
                        attempts.stream()
                                .map(a -> String.format(
                                        Locale.ROOT, "attempt %d %s: %s", a.attempt(), a.status(), a.said())),
                        reasons.stream(),
                        Stream.ofNullable(comparison)
                                .flatMap(c -> c.remarks().stream())
                                .map(r -> String.format(Locale.ROOT, "Baseline: %s: %s", r.name(), r.value())),
                        findings.stream()
                                .filter(f -> reasons.stream().noneMatch(r -> r.contains(f.value())))
                                .map(f -> f.name() + ": " + f.value()),
                        guards.stream()
                                .filter(f -> f.value().startsWith(GuardFacts.BY_HAND))
                                .map(f -> "guard " + f.name() + ": " + f.value()))
                .flatMap(Function.identity())
                .map(Problem::new)
                .toList();
    }

    String conditionsInOneLine() {
        return conditions.isEmpty()
                ? "nothing was measured"
                : conditions.stream().map(c -> c.name() + ": " + c.value()).collect(Collectors.joining("; "));
    }

    private static AttemptView attempt(GateAttempt attempt, Links links) {
        GateRecord record = attempt.record();
        Stream<String> lines = record.judgement() == null
                ? Stream.empty()
                : record.judgement().rules().stream().map(JudgementEntry.RuleEntry::line);
        return new AttemptView(
                record.attempt(),
                attempt.status().words(),
                attempt.status().style(),
                Stream.concat(attempt.remark().stream(), lines).collect(Collectors.joining("; ")),
                links.to(attempt.path()));
    }

    private static List<Fact> findings(@Nullable JudgementEntry judgement, Optional<Measurement> measured) {
        List<Finding> findings = judgement != null
                ? judgement.findings()
                : measured.map(Measurement::findings).orElse(List.of());
        return findings.stream()
                .map(f -> new Fact(f.kind().name().replace('_', ' '), f.sentence()))
                .toList();
    }

    private static List<Fact> conditions(Measurement measurement, GateRecord record) {
        Conditions conditions = measurement.conditions();
        List<Fact> facts = new ArrayList<>(List.of(
                new Fact("Model", conditions.model()),
                new Fact("Weights", conditions.weights()),
                new Fact("Data type", conditions.dtype()),
                new Fact("Device", conditions.device()),
                new Fact("Prompt lengths, tokens", conditions.promptLengths()),
                new Fact("Output tokens per request", Integer.toString(conditions.outputTokens())),
                new Fact("Sampling", sampling(conditions.sampling())),
                conditions
                        .openLoop()
                        .map(open -> new Fact("Load", LoadText.arrivals(open)))
                        .orElse(new Fact("Concurrency", Integer.toString(conditions.concurrency()))),
                new Fact(
                        "Peak device memory",
                        measurement.peakDeviceMemoryBytes().isPresent()
                                ? Quantity.gibibytes(
                                        measurement.peakDeviceMemoryBytes().getAsLong())
                                : "could not be read"),
                new Fact(
                        "Requests",
                        String.format(
                                Locale.ROOT,
                                "%d started, %d completed%s",
                                measurement.traces().size(),
                                measurement.completed().size(),
                                SavedText.of(measurement).map(s -> "; " + s).orElse(""))),
                new Fact("Warm", measurement.warmUp().isWarm() ? "yes" : "no"),
                new Fact("Prefix cache", PrefixCache.of(measurement).words())));
        if (record.sweep() != null) {
            facts.add(new Fact("Sweep", SweepView.text(record, record.sweep().toSweep(measurement))));
        }
        if (!conditions.workload().equals(Workload.IN_TURN)) {
            facts.add(new Fact("Prompts", conditions.workload().toString()));
        }
        LoadText.rates(measurement).ifPresent(text -> facts.add(new Fact("Rates", text)));
        LoadText.scheduleDelay(measurement).ifPresent(text -> facts.add(new Fact("Schedule delay", text)));
        LoadText.inFlight(measurement).ifPresent(text -> facts.add(new Fact("In flight", text)));
        conditions.settings().forEach((name, value) -> facts.add(new Fact(name, value)));
        SystemText.of(measurement).ifPresent(text -> facts.add(new Fact("System TGS under these conditions", text)));
        if (record.times().started() != null) {
            facts.add(new Fact("Started", PageView.time(record.times().started())));
        }
        return facts;
    }

    private static String sampling(Sampling sampling) {
        return sampling.isDrawn()
                ? String.format(Locale.ROOT, "%s (seed %d)", sampling, sampling.seed())
                : sampling.toString();
    }

    private static List<OutcomeCount> outcomes(Measurement measurement) {
        if (measurement.completed().size() == measurement.traces().size()) {
            return List.of();
        }
        Map<Outcome, Map<String, Long>> counts = measurement.traces().stream()
                .collect(Collectors.groupingBy(
                        TokenTrace::outcome,
                        TreeMap::new,
                        Collectors.groupingBy(t -> t.reason().orElse(""), TreeMap::new, Collectors.counting())));
        return counts.entrySet().stream()
                .flatMap(outcome -> outcome.getValue().entrySet().stream()
                        .map(reason -> new OutcomeCount(outcome.getKey(), reason.getKey(), reason.getValue())))
                .toList();
    }

    private static List<Fact> warmUps(WarmUp warmUp) {
        List<Fact> facts = new ArrayList<>();
        for (WarmUp.Series series : warmUp.series()) {
            String prompt = String.format(
                    Locale.ROOT,
                    "Prompts of %d tokens, %s",
                    series.promptTokens(),
                    series.warm() ? "warm" : "not warm");
            addInOrder(facts, prompt + ": TTFT", series.ttftNanos());
            addInOrder(facts, prompt + ": mean ITL", series.itlMeanNanos());
            addInOrder(facts, prompt + ": E2E", series.e2eNanos());
        }
        return facts;
    }

    private static void addInOrder(List<Fact> facts, String name, List<Long> nanos) {
        if (!nanos.isEmpty()) {
            facts.add(new Fact(
                    name, nanos.stream().map(n -> Quantity.of(Metric.ITL, n)).collect(Collectors.joining(", "))));
        }
    }

    private static String tolerance(WarmUp warmUp) {
        return String.format(
                Locale.ROOT,
                "Warm where the last three runs lie within %.0f%% of their median, or within %s.",
                100 * warmUp.tolerance(),
                Quantity.of(Metric.ITL, warmUp.toleranceFloorNanos()));
    }
}
