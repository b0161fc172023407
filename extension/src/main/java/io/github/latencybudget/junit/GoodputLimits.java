package io.github.latencybudget.junit;

import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The limits of one {@link GoodputBudget}. */
record GoodputLimits(AttributeCheck check, GoodputBudget budget) {

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    List<SetLimit> limits() {
        Limit goodput = new Limit(check, "minGoodput", budget.minGoodput(), false);
        Limit fluidity = new Limit(check, "minFluidity", budget.minFluidity(), false);
        Limit.requireOne(check, Stream.of("minGoodput", "minFluidity"), goodput.isSet() || fluidity.isSet());
        List<RequestLimit> limits = requestLimits();
        List<SetLimit> set = new ArrayList<>();
        if (goodput.isSet()) {
            Limit.requireOne(check, Stream.of("ttftMs", "itlMs", "tpotMs", "e2eMs"), !limits.isEmpty());
            set.add(goodput.set(new GoodputRule(limits, goodput.share())));
        }
        if (fluidity.isSet()) {
            check.require(
                    ttft().isSet() && itl().isSet(),
                    "minFluidity",
                    budget.minFluidity(),
                    "it takes `ttftMs` and `itlMs`, by which each token has a time");
            set.add(fluidity.set(new FluidityRule(length(), ttft().millis(), itl().millis(), fluidity.share())));
        }
        return set;
    }

    private List<RequestLimit> requestLimits() {
        List<RequestLimit> limits = new ArrayList<>();
        add(limits, Metric.TTFT, ttft());
        add(limits, Metric.ITL, itl());
        add(limits, Metric.TPOT, new Limit(check, "tpotMs", budget.tpotMs(), true));
        add(limits, Metric.E2E, new Limit(check, "e2eMs", budget.e2eMs(), false));
        return limits;
    }

    private void add(List<RequestLimit> limits, Metric metric, Limit limit) {
        if (limit.isSet()) {
            limits.add(new RequestLimit(
                    metric, limit.requireTokens(budget.outputTokens()).millis(), Optional.of(length())));
        }
    }

    private Limit ttft() {
        return new Limit(check, "ttftMs", budget.ttftMs(), false);
    }

    private Limit itl() {
        return new Limit(check, "itlMs", budget.itlMs(), true);
    }

    private PromptLength length() {
        return PromptLength.exactly(budget.promptTokens());
    }
}
