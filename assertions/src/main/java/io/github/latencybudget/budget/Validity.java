package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the traces themselves show to be wrong with a run. */
final class Validity {

    private static final int MOST_REASONS = 8;
    private static final double LEAST_SHARE_IN_FLIGHT = 0.5;

    private Validity() {}

    static List<Finding> findings(Measurement measurement) {
        List<Finding> findings = new ArrayList<>();
        failedRequests(measurement).ifPresent(findings::add);
        invalidSample(measurement).ifPresent(findings::add);
        outputLength(measurement).ifPresent(findings::add);
        notWarm(measurement).ifPresent(findings::add);
        concurrency(measurement).ifPresent(findings::add);
        return findings;
    }

    private static Optional<Finding> failedRequests(Measurement measurement) {
        List<TokenTrace> failed = measurement.traces().stream()
                .filter(t -> t.outcome() != Outcome.COMPLETED)
                .toList();
        if (failed.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Long> reasons = failed.stream()
                .collect(Collectors.groupingBy(
                        t -> t.outcome() + ": " + t.reason().orElseThrow(), TreeMap::new, Collectors.counting()));
        return Optional.of(new Finding(
                Finding.Kind.FAILED_REQUESTS,
                "%s of %s requests did not complete: %s"
                        .formatted(failed.size(), measurement.traces().size(), inWords(reasons))));
    }

    private static String inWords(Map<String, Long> reasons) {
        String most = reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_REASONS)
                .map(e -> e.getValue() + " x " + e.getKey())
                .collect(Collectors.joining(", "));
        return reasons.size() <= MOST_REASONS
                ? most
                : "%s, and %s further reasons, which the record has".formatted(most, reasons.size() - MOST_REASONS);
    }

    private static Optional<Finding> invalidSample(Measurement measurement) {
        return measurement.traces().stream()
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
                return Optional.of(
                        "request %s is invalid: %s %s arrived %s %s (TTFT %s, E2E %s); check the target's clock"
                                .formatted(
                                        trace.request(),
                                        what,
                                        i,
                                        gap == 0 ? "just when" : "before",
                                        i == 1 ? "the request started" : what + " " + (i - 1),
                                        millis(StreamMetrics.ttftNanos(trace).getAsLong()),
                                        millis(StreamMetrics.e2eNanos(trace).getAsLong())));
            }
            before = chunks.arrivalNanos(i);
        }
        return Optional.empty();
    }

    private static Optional<String> unnamedLength(TokenTrace trace, Conditions conditions) {
        return conditions.requestsByPromptTokens().containsKey(trace.promptTokens())
                ? Optional.empty()
                : Optional.of(
                        "request %s is invalid: it had a prompt of %s tokens, which is not among the lengths of the run: %s; check that the prompt is counted in tokens of the model's own tokenizer, BOS included"
                                .formatted(trace.request(), trace.promptTokens(), conditions.promptLengths()));
    }

    private static String millis(long nanos) {
        return Quantity.of(Metric.TTFT, nanos);
    }

    private static Optional<Finding> outputLength(Measurement measurement) {
        int declared = measurement.conditions().outputTokens();
        List<TokenTrace> other = measurement.completed().stream()
                .filter(t -> t.outputTokens() != declared)
                .toList();
        if (other.isEmpty()) {
            return Optional.empty();
        }
        TokenTrace first = other.get(0);
        return Optional.of(new Finding(
                Finding.Kind.OUTPUT_LENGTH,
                "%s of %s completed requests gave another number of output tokens than declared, such as request %s with %s instead of %s; a latency gate generates exactly what it declares, so ignore end-of-sequence"
                        .formatted(
                                other.size(),
                                measurement.completed().size(),
                                first.request(),
                                first.outputTokens(),
                                declared)));
    }

    /** At the end of a run, and between two requests, fewer are in flight; but not so few. */
    private static Optional<Finding> concurrency(Measurement measurement) {
        int declared = measurement.conditions().concurrency();
        return SystemThroughput.of(measurement.traces())
                .filter(run -> declared > 1 && run.meanInFlight() < LEAST_SHARE_IN_FLIGHT * declared)
                .map(run -> new Finding(
                        Finding.Kind.CONCURRENCY,
                        String.format(
                                Locale.ROOT,
                                "%.1f requests were in flight on average, and the run was to have %s: the target may let one wait for another outside a request's time, or take long to prepare one; correct it, or ask for the concurrency that it has",
                                run.meanInFlight(),
                                declared)));
    }

    private static Optional<Finding> notWarm(Measurement measurement) {
        Map<Integer, WarmUp.Series> series = measurement.warmUp().series().stream()
                .collect(Collectors.toMap(WarmUp.Series::promptTokens, Function.identity()));
        SortedSet<Integer> cold = new TreeSet<>();
        for (TokenTrace trace : measurement.traces()) {
            WarmUp.Series warm = series.get(trace.promptTokens());
            if (warm == null || !warm.warm()) {
                cold.add(trace.promptTokens());
            }
        }
        if (cold.isEmpty()) {
            return Optional.empty();
        }
        int length = cold.first();
        return Optional.of(new Finding(
                Finding.Kind.NOT_WARM,
                series.containsKey(length)
                        ? "not warm at a prompt length of %s tokens: %s; give the warm-up more runs, or quieten the machine"
                                .formatted(length, disagreement(series.get(length), measurement.warmUp()))
                        : "not warm: a prompt length of %s tokens was measured without a warm-up; warm up every length that is measured"
                                .formatted(length)));
    }

    private static String disagreement(WarmUp.Series series, WarmUp warmUp) {
        return "the last three of %s warm-up runs do not agree within %s or %s (TTFT %s; mean gap %s)"
                .formatted(
                        series.ttftNanos().size(),
                        Quantity.percent(warmUp.tolerance()),
                        millis(warmUp.toleranceFloorNanos()),
                        lastThree(series.ttftNanos()),
                        lastThree(series.itlMeanNanos()));
    }

    private static String lastThree(List<Long> nanos) {
        return nanos.subList(Math.max(0, nanos.size() - 3), nanos.size()).stream()
                .map(Validity::millis)
                .collect(Collectors.joining(", "));
    }
}
