package io.github.latencybudget.load;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.apiguardian.api.API;

/**
 * What a sweep runs.
 *
 * @param unit what a load is counted in
 * @param loads in ascending order
 * @param atLeast one of them
 * @param stopAtBreach whether it ends with the first step that is broken
 * @param isPoisson whether the arrivals of an open loop are Poisson; else they are constant
 * @param seed what these follow from
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record SweepPlan(
        Sweep.Unit unit, List<Double> loads, double atLeast, boolean stopAtBreach, boolean isPoisson, long seed) {

    public SweepPlan {
        loads = List.copyOf(loads);
    }

    /** {@return the same, with arrivals from another seed} */
    public SweepPlan withSeed(long seed) {
        return new SweepPlan(unit, loads, atLeast, stopAtBreach, isPoisson, seed);
    }

    /** @throws MeasurementException where the highest load is more than the target can have, before any is measured */
    public void requireRoom(TargetSession session) {
        double highest = loads.get(loads.size() - 1);
        if (!isByRate() && highest > session.maxConcurrency()) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "concurrency = %.0f: this target can have at most %d in flight at a time; end the sweep there, or open it with room for more",
                    highest,
                    session.maxConcurrency()));
        }
    }

    /** {@return whether its loads are rates, at which requests are due} */
    public boolean isByRate() {
        return unit == Sweep.Unit.REQUESTS_PER_SECOND;
    }

    /** With several in flight, every second round of them is a sample of one gambler. */
    private static long timesAsMany(long concurrency) {
        return concurrency == 1 ? 1 : 2 * concurrency;
    }

    /** {@return the scenario of a step} */
    public Scenario at(double load, Scenario scenario) {
        return new Scenario(
                scenario.promptTokens(),
                scenario.prompts(),
                isByRate()
                        ? scenario.mostRequests()
                        : Math.toIntExact(
                                Math.min(Integer.MAX_VALUE, timesAsMany((long) load) * scenario.mostRequests())),
                scenario.maxDuration(),
                scenario.outputTokens(),
                scenario.sampling(),
                isByRate()
                        ? new Load.Open(arrivals(load), OptionalInt.empty(), Load.Open.QUEUED_BY_DEFAULT)
                        : new Load.Closed((int) load, scenario.thinkTime()),
                scenario.warmUp());
    }

    private Arrivals arrivals(double rate) {
        return isPoisson ? new Arrivals.Poisson(rate, seed) : new Arrivals.Constant(rate);
    }
}
