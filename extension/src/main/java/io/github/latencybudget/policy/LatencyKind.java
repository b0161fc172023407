package io.github.latencybudget.policy;

import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A percentile or the mean of a time is at most a limit. */
record LatencyKind(Metric metric) implements RuleKind {

    private static final EnumSet<Metric> FROM_THE_START = EnumSet.of(Metric.TTFT, Metric.TTFO);

    @Override
    public List<String> keys() {
        return List.of("promptTokens", "statistic", "percentile", "atMostMs");
    }

    @Override
    public boolean isOfGaps() {
        return EnumSet.of(Metric.ITL, Metric.ICL, Metric.TPOT).contains(metric);
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        if (FROM_THE_START.contains(metric)) {
            rule.require(
                    "promptTokens",
                    String.format(
                            Locale.ROOT,
                            "a %s limit is bound to a prompt length: name it, such as `promptTokens: {atMost: 128}`",
                            metric.label()));
        }
        Optional<PromptLength> length = rule.get("promptTokens").map(v -> Quantities.lengths(v, scenario));
        Duration limit = Quantities.time(rule.require("atMostMs", "name the limit in milliseconds"));
        return isMean(rule)
                ? new MeanLatencyRule(metric, limit, length)
                : new LatencyRule(metric, Quantities.percentile(rule.get("percentile")), limit, length);
    }

    private static boolean isMean(Section rule) {
        String allowed = "it is `percentile` or `mean`";
        String statistic = rule.get("statistic").map(v -> v.text(allowed)).orElse("percentile");
        boolean isMean = statistic.equals("mean");
        rule.get("statistic").ifPresent(v -> v.require(isMean || statistic.equals("percentile"), allowed));
        rule.get("percentile").ifPresent(v -> v.require(!isMean, "the limit is one on the mean; leave it out"));
        return isMean;
    }
}
