package io.github.latencybudget.record;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.budget.Waivers;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A budget as a record holds it: all of it, so that the record can be judged again.
 *
 * @param rules at least one
 * @param confidence of each verdict, such as 0.95
 * @param today the day that the waivers were held against, of UTC
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record BudgetEntry(List<Line> rules, double confidence, LocalDate today) {

    /** @throws NullPointerException where a file leaves out what every budget has */
    public BudgetEntry {
        rules = List.copyOf(rules);
        Objects.requireNonNull(today, "today");
    }

    /**
     * A rule with its waiver.
     *
     * @param rule what has to hold
     * @param waiver its waiver; null where it has none
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Line(Rule rule, @Nullable WaiverEntry waiver) {

        /** @throws NullPointerException without a rule */
        public Line {
            Objects.requireNonNull(rule, "rule");
        }
    }

    /** {@return the entry for a budget} */
    public static BudgetEntry of(Budget budget) {
        Map<Rule, Waiver> waivers = budget.waivers().byRule();
        return new BudgetEntry(
                budget.rules().stream()
                        .map(rule -> new Line(
                                rule,
                                Optional.ofNullable(waivers.get(rule))
                                        .map(WaiverEntry::of)
                                        .orElse(null)))
                        .toList(),
                budget.confidence().level(),
                budget.waivers().today());
    }

    /**
     * {@return the budget again}
     *
     * @throws IllegalArgumentException for what does not make a budget
     */
    public Budget toBudget() {
        Map<Rule, Waiver> waivers = new LinkedHashMap<>();
        for (Line line : rules) {
            if (line.waiver() != null) {
                waivers.put(line.rule(), line.waiver().toWaiver());
            }
        }
        return new Budget(
                rules.stream().map(Line::rule).toList(), new Confidence(confidence), new Waivers(today, waivers));
    }
}
