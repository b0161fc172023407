package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.ThinkTime;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the traces themselves, and what was watched beside them, show to be wrong with a run. */
final class Validity {

    private static final double LEAST_SHARE_IN_FLIGHT = 0.5;

    private Validity() {}

    /** @param rules what is to be judged, for a guard that depends on its limits */
    static List<Finding> findings(Measurement measurement, List<Rule> rules) {
        List<Finding> findings = new ArrayList<>();
        Guards.finding(Guard.MAX_FAILED_SHARE, measurement, rules).ifPresent(findings::add);
        invalidSample(measurement).ifPresent(findings::add);
        Guards.finding(Guard.OUTPUT_LENGTH, measurement, rules).ifPresent(findings::add);
        notWarm(measurement).ifPresent(findings::add);
        UnjudgedPrompts.finding(measurement, rules).ifPresent(findings::add);
        concurrency(measurement).ifPresent(findings::add);
        dropped(measurement).ifPresent(findings::add);
        EnumSet.complementOf(EnumSet.of(Guard.MAX_FAILED_SHARE, Guard.OUTPUT_LENGTH))
                .forEach(guard -> Guards.finding(guard, measurement, rules).ifPresent(findings::add));
        return findings;
    }

    private static Optional<Finding> invalidSample(Measurement measurement) {
        return measurement.traces().parallelStream()
                .map(t -> contradiction(t).or(() -> unnamedLength(t, measurement.conditions())))
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> StepValidity.contradiction(measurement))
                .map(sentence -> new Finding(Finding.Kind.INVALID_SAMPLE, sentence));
    }

    private static Optional<String> contradiction(TokenTrace trace) {
        long before = trace.startNanos();
        Chunks chunks = trace.chunks();
        String what = chunks.isOneTokenEach() ? "token" : "chunk";
        for (int i = 1; i <= chunks.count(); i++) {
            // A difference, since nanoTime may run over the end of the long range within a request.
            long gap = chunks.arrivalNanos(i) - before;
            // A first token takes time; without any, a clock that stands still would hold every limit.
            if (gap < 0 || (i == 1 && gap == 0)) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        "request %s is invalid: %s %s arrived %s %s (%sE2E %s); check the target's clock",
                        trace.request(),
                        what,
                        i,
                        gap == 0 ? "just when" : "before",
                        i == 1 ? "the request started" : what + " " + (i - 1),
                        StreamMetrics.ttftNanos(trace).stream()
                                .mapToObj(ttft -> String.format(Locale.ROOT, "TTFT %s, ", millis(ttft)))
                                .collect(Collectors.joining()),
                        millis(StreamMetrics.e2eNanos(trace).getAsLong())));
            }
            before = chunks.arrivalNanos(i);
        }
        return Optional.empty();
    }

    private static Optional<String> unnamedLength(TokenTrace trace, Conditions conditions) {
        return conditions.requestsByPromptTokens().containsKey(trace.promptTokens())
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "request %s is invalid: it had a prompt of %s tokens, which is not among the lengths of the run: %s; check that the prompt is counted in tokens of the model's own tokenizer, BOS included",
                        trace.request(),
                        trace.promptTokens(),
                        conditions.promptLengths()));
    }

    private static String millis(long nanos) {
        return Quantity.of(Metric.TTFT, nanos);
    }

    /** At the end of a run, and between two requests, fewer are in flight; but not so few. */
    private static Optional<Finding> concurrency(Measurement measurement) {
        if (measurement.conditions().openLoop().isPresent()) {
            return Optional.empty();
        }
        int declared = measurement.conditions().concurrency();
        return SystemThroughput.of(measurement.traces())
                .filter(run -> declared > 1
                        && run.meanInFlight() < LEAST_SHARE_IN_FLIGHT * declared * shareNotThinking(measurement))
                .map(run -> new Finding(
                        Finding.Kind.CONCURRENCY,
                        String.format(
                                Locale.ROOT,
                                "%.1f requests were in flight on average, and the run was to have %s: the target may let one wait for another outside a request's time, or take long to prepare one; correct it, or ask for the concurrency that it has",
                                run.meanInFlight(),
                                declared)));
    }

    /** {@return of the time of a user, how much is not thought: of a request and the thought after it, that of the request} */
    private static double shareNotThinking(Measurement measurement) {
        Optional<ThinkTime> thinkTime = measurement.conditions().workload().thinkTime();
        double e2e = measurement.completed().stream()
                .mapToLong(t -> StreamMetrics.e2eNanos(t).orElse(0))
                .average()
                .orElse(0);
        return thinkTime.isEmpty() ? 1 : e2e / (e2e + thinkTime.get().mean().toNanos());
    }

    /** Whatever share of requests may fail: those that are left were measured under less load than asked for. */
    private static Optional<Finding> dropped(Measurement measurement) {
        long dropped = measurement.traces().stream()
                .filter(t -> t.outcome() == Outcome.DROPPED)
                .count();
        return dropped == 0
                ? Optional.empty()
                : Optional.of(new Finding(
                        Finding.Kind.DROPPED_REQUESTS,
                        String.format(
                                Locale.ROOT,
                                "%s of %s requests were due and never sent, so the run was under less load than asked for; ask for fewer requests per second, or allow more in flight or a longer queue",
                                dropped,
                                measurement.traces().size())));
    }

    private static Optional<Finding> notWarm(Measurement measurement) {
        Map<Integer, WarmUp.Series> series = measurement.warmUp().series().stream()
                .collect(Collectors.toMap(WarmUp.Series::promptTokens, Function.identity()));
        SortedSet<Integer> cold = new TreeSet<>();
        // Of a file, lengths across it are warmed up, which stand for those between them.
        Stream<Integer> lengths = measurement.conditions().workload().file().isPresent() && !series.isEmpty()
                ? series.keySet().stream()
                : measurement.traces().stream().map(TokenTrace::promptTokens);
        lengths.forEach(length -> {
            WarmUp.Series warm = series.get(length);
            if (warm == null || !warm.warm()) {
                cold.add(length);
            }
        });
        if (cold.isEmpty()) {
            return Optional.empty();
        }
        int length = cold.first();
        return Optional.of(new Finding(
                Finding.Kind.NOT_WARM,
                series.containsKey(length)
                        ? String.format(
                                Locale.ROOT,
                                "not warm at a prompt length of %s tokens: %s; give the warm-up more runs, or quieten the machine",
                                length,
                                disagreement(series.get(length), measurement.warmUp()))
                        : String.format(
                                Locale.ROOT,
                                "not warm: a prompt length of %s tokens was measured without a warm-up; warm up every length that is measured",
                                length)));
    }

    private static String disagreement(WarmUp.Series series, WarmUp warmUp) {
        return String.format(
                Locale.ROOT,
                "the last three of %s warm-up runs do not agree within %s or %s (%s)",
                Math.max(series.ttftNanos().size(), series.e2eNanos().size()),
                Quantity.percent(warmUp.tolerance()),
                millis(warmUp.toleranceFloorNanos()),
                Stream.of(
                                lastThree("TTFT", series.ttftNanos()),
                                lastThree("mean gap", series.itlMeanNanos()),
                                lastThree("E2E", series.e2eNanos()))
                        .flatMap(Function.identity())
                        .collect(Collectors.joining("; ")));
    }

    private static Stream<String> lastThree(String name, List<Long> nanos) {
        return nanos.isEmpty() ? Stream.empty() : Stream.of(name + " " + lastThree(nanos));
    }

    private static String lastThree(List<Long> nanos) {
        return nanos.subList(Math.max(0, nanos.size() - 3), nanos.size()).stream()
                .map(Validity::millis)
                .collect(Collectors.joining(", "));
    }
}
