package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.load.SweepPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads the loads of a sweep. */
final class SweepReader {

    private static final String EITHER =
            "name the loads either by `concurrency` or by `requestsPerSecond`, such as {concurrency: [1, 2, 4, 8]}";
    private static final List<String> KINDS = List.of("poisson", "constant");

    private SweepReader() {}

    /** {@return the plan; its seed is not of the policy} */
    static SweepPlan read(Value value) {
        Section sweep = value.section(Vocabulary.SWEEP);
        Optional<Value> rates = sweep.get("requestsPerSecond");
        Value named = rates.or(() -> sweep.get("concurrency")).orElseThrow(() -> value.wrong(EITHER));
        sweep.get("concurrency").ifPresent(v -> v.require(rates.isEmpty(), EITHER));
        List<Double> loads = loads(named, rates.isPresent());
        return new SweepPlan(
                rates.isPresent() ? Sweep.Unit.REQUESTS_PER_SECOND : Sweep.Unit.CONCURRENCY,
                loads,
                sweep.get("atLeast").map(v -> atLeast(v, loads)).orElse(loads.get(0)),
                sweep.get("stopAtBreach")
                        .map(v -> v.isTrue("it is `true` or `false`"))
                        .orElse(true),
                isPoisson(sweep.get("arrivals"), rates.isPresent()),
                0);
    }

    private static List<Double> loads(Value named, boolean isByRate) {
        List<Double> loads = new ArrayList<>();
        for (Value load : named.list()) {
            double number = isByRate ? OpenLoopReader.rate(load) : ScenarioReader.concurrency(load);
            load.require(
                    loads.isEmpty() || number > loads.get(loads.size() - 1),
                    "put the loads in ascending order, each once");
            loads.add(number);
        }
        named.require(
                loads.size() > 1,
                "a sweep has two loads at least; for one, give the scenario its `concurrency` or an `openLoop`");
        return loads;
    }

    private static double atLeast(Value value, List<Double> loads) {
        String allowed = String.format(Locale.ROOT, "it is one of the loads that are measured, %s", loads);
        double load = value.number(allowed);
        value.require(loads.contains(load), allowed);
        return load;
    }

    private static boolean isPoisson(Optional<Value> arrivals, boolean isByRate) {
        String allowed = String.format(Locale.ROOT, "it is one of %s", Section.list(KINDS));
        String kind = arrivals.map(v -> v.text(allowed)).orElse("poisson");
        arrivals.ifPresent(v -> {
            v.require(KINDS.contains(kind), allowed);
            v.require(isByRate, "a closed loop has none; leave it out, or name the loads by `requestsPerSecond`");
        });
        return kind.equals("poisson");
    }
}
