package io.github.latencybudget.junit;

import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The limits of one {@link LatencyBudget}. */
record LatencyLimits(AttributeCheck check, LatencyBudget budget) {

    private static final Set<Metric> OF_GAPS = EnumSet.of(Metric.ITL, Metric.ICL, Metric.TPOT);

    private record Entry(Limit limit, Function<Duration, Rule> rule) {}

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    List<SetLimit> limits() {
        List<Entry> all = entries();
        List<Entry> set = all.stream().filter(e -> e.limit().isSet()).toList();
        if (budget.promptTokens() == 0) {
            set.stream()
                    .map(e -> e.limit().attribute())
                    .filter(a -> a.startsWith("ttf"))
                    .forEach(a -> check.require(
                            false,
                            "promptTokens",
                            0,
                            String.format(
                                    Locale.ROOT,
                                    "`%s` is bound to a prompt length; name it, or use @TtftByPromptLength",
                                    a)));
        }
        Limit.requireOne(check, all.stream().map(e -> e.limit().attribute()), !set.isEmpty());
        return set.stream()
                .map(e -> e.limit()
                        .set(e.rule()
                                .apply(e.limit()
                                        .requireTokens(budget.outputTokens())
                                        .millis())))
                .toList();
    }

    private List<Entry> entries() {
        return List.of(
                percentile("ttftMs", Metric.TTFT, ttftPercentile(), budget.ttftMs()),
                mean("ttftMeanMs", Metric.TTFT, budget.ttftMeanMs()),
                percentile("ttfoP95Ms", Metric.TTFO, Percentile.P95, budget.ttfoP95Ms()),
                percentile("itlP50Ms", Metric.ITL, Percentile.P50, budget.itlP50Ms()),
                percentile("itlP95Ms", Metric.ITL, Percentile.P95, budget.itlP95Ms()),
                percentile("itlP99Ms", Metric.ITL, Percentile.P99, budget.itlP99Ms()),
                mean("itlMeanMs", Metric.ITL, budget.itlMeanMs()),
                new Entry(new Limit(check, "requestItlP95Ms", budget.requestItlP95Ms(), true), this::requestItl),
                percentile("iclP95Ms", Metric.ICL, Percentile.P95, budget.iclP95Ms()),
                percentile("tpotP95Ms", Metric.TPOT, Percentile.P95, budget.tpotP95Ms()),
                mean("tpotMeanMs", Metric.TPOT, budget.tpotMeanMs()),
                percentile("e2eP95Ms", Metric.E2E, Percentile.P95, budget.e2eP95Ms()),
                mean("e2eMeanMs", Metric.E2E, budget.e2eMeanMs()));
    }

    private Entry percentile(String attribute, Metric metric, Percentile percentile, double value) {
        return new Entry(
                new Limit(check, attribute, value, OF_GAPS.contains(metric)),
                d -> new LatencyRule(metric, percentile, d, length()));
    }

    private Entry mean(String attribute, Metric metric, double value) {
        return new Entry(
                new Limit(check, attribute, value, OF_GAPS.contains(metric)),
                d -> new MeanLatencyRule(metric, d, length()));
    }

    private Rule requestItl(Duration limit) {
        RequestItlRule rule = RequestItlRule.of(Percentile.P95, Percentile.P95, limit);
        return length().map(rule::forPrompts).orElse(rule);
    }

    /** Without one, where prompts come from a file, it is about all of them. */
    private Optional<PromptLength> length() {
        return budget.promptTokens() == 0 ? Optional.empty() : Optional.of(PromptLength.exactly(budget.promptTokens()));
    }

    private Percentile ttftPercentile() {
        Percentile percentile = Limit.percentile(check, "ttftPercentile", budget.ttftPercentile());
        check.require(
                budget.ttftMs() != LatencyBudget.NO_LIMIT || percentile.equals(Percentile.P95),
                "ttftPercentile",
                budget.ttftPercentile(),
                "it is about `ttftMs`, which is not set");
        return percentile;
    }
}
