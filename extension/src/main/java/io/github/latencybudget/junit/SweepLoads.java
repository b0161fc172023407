package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.trace.Arrivals;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Turns a {@link LoadSweep} into a plan, and refuses what cannot be meant. */
final class SweepLoads {

    private SweepLoads() {}

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    static SweepPlan of(LoadSweep sweep, String where, long seed) {
        AttributeCheck check = new AttributeCheck(LoadSweep.class, where);
        boolean isByRate = sweep.requestsPerSecond().length > 0;
        check.require(
                isByRate != sweep.concurrency().length > 0,
                "name the loads either by `concurrency` or by `requestsPerSecond`, such as `concurrency = {1, 2, 4, 8}`");
        String attribute = isByRate ? "requestsPerSecond" : "concurrency";
        List<Double> loads = (isByRate
                        ? DoubleStream.of(sweep.requestsPerSecond())
                        : IntStream.of(sweep.concurrency()).asDoubleStream())
                .boxed()
                .toList();
        for (int i = 0; i < loads.size(); i++) {
            requireLoad(check, attribute, loads, i, isByRate);
        }
        check.require(
                loads.size() > 1, attribute, loads, "a sweep has two loads at least; for one, set it on the budget");
        check.require(
                sweep.arrivals() != OpenLoop.Arrivals.RAMP,
                "arrivals",
                sweep.arrivals(),
                "each step of a sweep has one load; set POISSON or CONSTANT");
        check.require(
                isByRate || sweep.arrivals() == OpenLoop.Arrivals.POISSON,
                "arrivals",
                sweep.arrivals(),
                "a closed loop has none; leave it out, or name the loads by `requestsPerSecond`");
        check.require(
                sweep.atLeast() == LoadSweep.LOWEST || loads.contains(sweep.atLeast()),
                "atLeast",
                sweep.atLeast(),
                "it is one of the loads that are measured, " + loads);
        return new SweepPlan(
                isByRate ? Sweep.Unit.REQUESTS_PER_SECOND : Sweep.Unit.CONCURRENCY,
                loads,
                sweep.atLeast() == LoadSweep.LOWEST ? loads.get(0) : sweep.atLeast(),
                sweep.stopAtBreach(),
                sweep.arrivals() == OpenLoop.Arrivals.POISSON,
                seed);
    }

    private static void requireLoad(
            AttributeCheck check, String attribute, List<Double> loads, int i, boolean isByRate) {
        double load = loads.get(i);
        check.require(
                isByRate ? Arrivals.isRate(load) : load >= 1,
                attribute,
                load,
                isByRate ? Arrivals.ALLOWED_RATE : "must be at least 1");
        check.require(
                i == 0 || load > loads.get(i - 1), attribute, loads, "put the loads in ascending order, each once");
    }
}
