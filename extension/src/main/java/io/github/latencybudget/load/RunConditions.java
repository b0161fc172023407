package io.github.latencybudget.load;

import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the numbers of a run hold for. */
final class RunConditions {

    private RunConditions() {}

    static Conditions of(Scenario scenario, TargetDescription target, List<TokenTrace> traces) {
        SortedMap<Integer, Integer> requests = new TreeMap<>();
        scenario.promptTokens().forEach(p -> requests.put(p, scenario.requestsPerPromptLength()));
        return new Conditions(
                target.model(),
                target.weights(),
                target.dtype(),
                target.device(),
                requests,
                scenario.outputTokens(),
                scenario.sampling(),
                scenario.openLoop().isPresent()
                        ? Math.max(1, InFlight.due(traces).peak())
                        : scenario.concurrency(),
                target.settings(),
                scenario.openLoop());
    }
}
