package io.github.latencybudget.policy;

import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A share of the requests meet limits of their own. */
record GoodputKind() implements RuleKind {

    private static final List<Metric> METRICS = List.of(Metric.TTFT, Metric.ITL, Metric.TPOT, Metric.E2E);

    @Override
    public List<String> keys() {
        List<String> keys = new ArrayList<>(List.of("promptTokens", "atLeastShare"));
        keys.addAll(limitKeys());
        return keys;
    }

    private static List<String> limitKeys() {
        return METRICS.stream().map(GoodputKind::key).toList();
    }

    /** {@return such as {@code ttftMs}} */
    private static String key(Metric metric) {
        return metric.name().toLowerCase(Locale.ROOT) + "Ms";
    }

    @Override
    public boolean isOfGaps() {
        return false;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        Optional<PromptLength> length = rule.get("promptTokens").map(v -> Quantities.lengths(v, scenario));
        if (rule.get("ttftMs").isPresent()) {
            rule.require("promptTokens", "a TTFT limit is bound to a prompt length: name it");
        }
        List<RequestLimit> limits = new ArrayList<>();
        METRICS.forEach(metric -> rule.get(key(metric)).ifPresent(v -> {
            v.require(
                    scenario.outputTokens() > 1 || !new LatencyKind(metric).isOfGaps(),
                    "with `outputTokens: 1` there is no gap between tokens; generate at least 2");
            limits.add(new RequestLimit(metric, Quantities.time(v), length));
        }));
        rule.value()
                .require(
                        !limits.isEmpty(),
                        String.format(
                                Locale.ROOT,
                                "every request would be good; name at least one of %s",
                                Section.list(limitKeys())));
        return new GoodputRule(limits, Quantities.share(rule.require("atLeastShare", "name the share, such as 0.95")));
    }
}
