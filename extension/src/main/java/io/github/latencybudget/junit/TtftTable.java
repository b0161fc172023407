package io.github.latencybudget.junit;

import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The rows of one {@link TtftByPromptLength}. */
record TtftTable(AttributeCheck check, TtftByPromptLength budget) {

    /**
     * @param lengths those that are measured
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value
     */
    List<SetLimit> limits(SortedSet<Integer> lengths) {
        List<SetLimit> limits = limits(row -> lengths.stream().anyMatch(row::includes), lengths);
        int last = budget.value()[budget.value().length - 1].upToTokens();
        check.require(
                lengths.last() <= last,
                "promptTokens",
                lengths,
                String.format(Locale.ROOT, "a length of %s tokens is in no row; add a row for it", lengths.last()));
        return limits;
    }

    /** {@return the rows for prompts whose lengths are not known beforehand} What is in no row is found when it was measured. */
    List<SetLimit> limitsForAll() {
        return limits(row -> true, new TreeSet<>());
    }

    private List<SetLimit> limits(Predicate<PromptLength> isMeasured, SortedSet<Integer> lengths) {
        Percentile percentile = Limit.percentile(check, "percentile", budget.percentile());
        check.require(budget.value().length > 0, "value", "{}", "name at least one row");
        List<SetLimit> limits = new ArrayList<>();
        int from = 1;
        for (TtftByPromptLength.Bound row : budget.value()) {
            check.require(
                    row.upToTokens() >= from,
                    "upToTokens",
                    row.upToTokens(),
                    "the rows are in the order of their lengths, each above the one before; it has to be at least "
                            + from);
            PromptLength length = PromptLength.between(from, row.upToTokens());
            check.require(
                    isMeasured.test(length),
                    "promptTokens",
                    lengths,
                    String.format(
                            Locale.ROOT,
                            "no length is in the row of %s tokens, which would not be measured; name one, or leave the row out",
                            inWords(length)));
            Limit limit = new Limit(check, "ms", row.ms(), false);
            limits.add(limit.set(LatencyRule.ttft(shown(length), percentile, limit.millis())));
            // The row after one without an end begins below it, and is refused.
            from = row.upToTokens() == Integer.MAX_VALUE ? Integer.MAX_VALUE : row.upToTokens() + 1;
        }
        return limits;
    }

    private static PromptLength shown(PromptLength length) {
        return length.max() == Integer.MAX_VALUE && length.min() > 1 ? PromptLength.above(length.min() - 1) : length;
    }

    private static String inWords(PromptLength length) {
        return shown(length).toString();
    }
}
