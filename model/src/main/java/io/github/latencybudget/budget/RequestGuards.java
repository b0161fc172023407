package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The guards that look at how requests ended. */
final class RequestGuards {

    private static final int MOST_REASONS = 8;

    private RequestGuards() {}

    static GuardCheck failedRequests(Measurement measurement, double mostShare) {
        List<TokenTrace> failed = measurement.traces().stream()
                .filter(t -> t.outcome() != Outcome.COMPLETED)
                .toList();
        if (failed.isEmpty()) {
            return GuardCheck.clear();
        }
        int all = measurement.traces().size();
        Map<String, Long> reasons = failed.stream()
                .collect(Collectors.groupingBy(
                        t -> t.outcome() + ": " + t.reason().orElseThrow(), TreeMap::new, Collectors.counting()));
        String sentence = String.format(
                Locale.ROOT, "%s of %s requests did not complete: %s", failed.size(), all, inWords(reasons));
        return failed.size() <= mostShare * all
                ? GuardCheck.clear(sentence)
                : GuardCheck.found(Finding.Kind.FAILED_REQUESTS, sentence);
    }

    private static String inWords(Map<String, Long> reasons) {
        String most = reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_REASONS)
                .map(e -> e.getValue() + " x " + e.getKey())
                .collect(Collectors.joining(", "));
        return reasons.size() <= MOST_REASONS
                ? most
                : String.format(
                        Locale.ROOT,
                        "%s, and %s further reasons, which the record has",
                        most,
                        reasons.size() - MOST_REASONS);
    }

    static GuardCheck outputLength(Measurement measurement) {
        // An entry of a file may have a length of its own.
        boolean isOfFile = measurement.conditions().workload().file().isPresent();
        int ofAll = measurement.conditions().outputTokens();
        List<TokenTrace> other = measurement.completed().stream()
                .filter(t -> t.outputTokens() != (isOfFile ? t.requestedOutputTokens() : ofAll))
                .toList();
        if (other.isEmpty()) {
            return GuardCheck.clear();
        }
        TokenTrace first = other.get(0);
        return GuardCheck.found(
                Finding.Kind.OUTPUT_LENGTH,
                String.format(
                        Locale.ROOT,
                        "%s of %s completed requests gave another number of output tokens than declared, such as request %s with %s instead of %s; a latency gate generates exactly what it declares, so ignore end-of-sequence",
                        other.size(),
                        measurement.completed().size(),
                        first.request(),
                        first.outputTokens(),
                        isOfFile ? first.requestedOutputTokens() : ofAll));
    }
}
