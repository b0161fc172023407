package io.github.latencybudget.policy;

import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Arrivals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A time changes by at most a share from the first third of the run to the last. */
record DriftKind() implements RuleKind {

    private static final Map<String, Metric> TIMES = times();

    private static Map<String, Metric> times() {
        Map<String, Metric> times = new LinkedHashMap<>();
        times.put("ttft", Metric.TTFT);
        times.put("ttfo", Metric.TTFO);
        times.put("tpot", Metric.TPOT);
        times.put("e2e", Metric.E2E);
        return times;
    }

    @Override
    public List<String> keys() {
        return List.of("of", "promptTokens", "atMostShare");
    }

    /** One output token has a TTFT, which may drift; of TPOT, which it has not, the verdict says so. */
    @Override
    public boolean isOfGaps() {
        return false;
    }

    @Override
    public Rule read(Section rule, PolicyScenario scenario) {
        String allowed = "name what may drift: " + String.join(", ", TIMES.keySet());
        Value of = rule.require("of", allowed);
        Metric metric = TIMES.get(of.text(allowed));
        of.require(metric != null, allowed);
        Value length = rule.require("promptTokens", "a drift is one of prompts of one length: name it");
        int promptTokens = length.wholeNumber(1, "a drift is one of prompts of one length, in whole tokens from 1 on");
        length.require(
                scenario.file().isEmpty(),
                "the prompts of a file have many lengths, and a drift is one at a length; leave the rule out, for the guard `max-drift` looks at all of them");
        Quantities.lengths(length, scenario);
        of.require(
                scenario.openLoop()
                        .filter(open -> open.arrivals() instanceof Arrivals.Ramp)
                        .isEmpty(),
                "the load of a ramp changes by itself; leave the rule out, or set other `openLoop.arrivals`");
        return new DriftRule(
                metric, Quantities.share(rule.require("atMostShare", "name the share, such as 0.1")), promptTokens);
    }
}
