package io.github.latencybudget.baseline;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints comparisons. */
final class ComparisonText {

    private static final String INDENT = "        ";

    private ComparisonText() {}

    static String line(Comparison comparison) {
        String against = String.format(
                Locale.ROOT,
                "%s  against the baseline %s of %s",
                comparison.status().words(),
                comparison.baseline(),
                comparison.stored());
        if (!comparison.refusals().isEmpty()) {
            return against + ": the two runs cannot be compared";
        }
        return String.format(
                Locale.ROOT,
                "%s: worse is more than %s, with %s confidence at each bound",
                against,
                comparison.tolerance().percentInWords(),
                comparison.tolerance().confidence());
    }

    static String describe(Comparison comparison) {
        return Stream.of(
                        Stream.of(line(comparison)),
                        comparison.refusals().stream().map(r -> INDENT + r),
                        comparison.changes().stream().map(c -> paragraph(comparison, c)),
                        comparison.changes().stream().limit(1).map(c -> INDENT + "method: " + Comparison.METHOD),
                        comparison.leftOut().stream().map(l -> INDENT + "not compared: " + l),
                        comparison.environment().stream().map(e -> INDENT + "environment: " + e))
                .flatMap(s -> s)
                .collect(Collectors.joining("\n"));
    }

    private static String paragraph(Comparison comparison, Change change) {
        return change.line()
                + (comparison.isJudged(change) ? "" : " (not judged)")
                + change.reason().map(r -> "\n" + INDENT + r).orElse("")
                + "\n"
                + INDENT
                + change.evidence();
    }
}
