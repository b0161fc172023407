package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Prompts of a file that no limit is about. Whoever gives a table of lengths and a file expects each request to be judged; one
 * beyond the last row would pass unseen.
 */
final class UnjudgedPrompts {

    private UnjudgedPrompts() {}

    static Optional<Finding> finding(Measurement measurement, List<Rule> rules) {
        if (measurement.conditions().workload().file().isEmpty()) {
            return Optional.empty();
        }
        Map<String, List<Rule>> tables =
                rules.stream().collect(Collectors.groupingBy(Rule::label, LinkedHashMap::new, Collectors.toList()));
        return tables.entrySet().stream()
                .flatMap(table -> finding(measurement, table.getKey(), table.getValue()).stream())
                .findFirst();
    }

    private static Optional<Finding> finding(Measurement measurement, String label, List<Rule> table) {
        List<TokenTrace> unjudged = measurement.traces().stream()
                .filter(t -> table.stream().noneMatch(rule -> rule.appliesTo(t.promptTokens())))
                .toList();
        IntSummaryStatistics known = unjudged.stream()
                .mapToInt(TokenTrace::promptTokens)
                .filter(length -> length > 0)
                .summaryStatistics();
        if (unjudged.isEmpty()) {
            return Optional.empty();
        }
        String counted = String.format(
                Locale.ROOT,
                "%s of %s requests",
                unjudged.size(),
                measurement.traces().size());
        return Optional.of(new Finding(
                Finding.Kind.UNJUDGED_PROMPTS,
                known.getCount() == 0
                        ? String.format(
                                Locale.ROOT,
                                "%s ended before the length of their prompt was known, so no limit on %s at a prompt length is about them; see why they did not complete",
                                counted,
                                label)
                        : String.format(
                                Locale.ROOT,
                                "%s had prompts of %s tokens, which no limit on %s is about; add a row for such prompts, or leave them out of the file",
                                counted,
                                inWords(known),
                                label)));
    }

    private static String inWords(IntSummaryStatistics lengths) {
        return lengths.getMin() == lengths.getMax()
                ? String.valueOf(lengths.getMin())
                : lengths.getMin() + " to " + lengths.getMax();
    }
}
