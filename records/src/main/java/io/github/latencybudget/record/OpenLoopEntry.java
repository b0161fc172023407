package io.github.latencybudget.record;

import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import java.time.Duration;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The load of an open loop as a record holds it.
 *
 * @param arrivals which kind they are of
 * @param requestsPerSecond the rate; that at the start for a ramp
 * @param toRequestsPerSecond the rate at the end of a ramp; else null
 * @param rampNanos how long a ramp takes; else null
 * @param seed what Poisson arrivals follow from; else null
 * @param maxInFlight how many may be in flight at a time; null for as many as the target can have
 * @param maxQueued how many may wait
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record OpenLoopEntry(
        Kind arrivals,
        double requestsPerSecond,
        @Nullable Double toRequestsPerSecond,
        @Nullable Long rampNanos,
        @Nullable Long seed,
        @Nullable Integer maxInFlight,
        int maxQueued) {

    /** The kinds of arrivals. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Kind {
        /** At equal distances. */
        CONSTANT,
        /** At exponentially distributed distances. */
        POISSON,
        /** At a rate that changes evenly. */
        RAMP
    }

    static OpenLoopEntry of(Load.Open load) {
        Integer inFlight = load.maxInFlight().isPresent() ? load.maxInFlight().getAsInt() : null;
        if (load.arrivals() instanceof Arrivals.Ramp ramp) {
            return new OpenLoopEntry(
                    Kind.RAMP,
                    ramp.fromRequestsPerSecond(),
                    ramp.toRequestsPerSecond(),
                    ramp.over().toNanos(),
                    null,
                    inFlight,
                    load.maxQueued());
        }
        if (load.arrivals() instanceof Arrivals.Poisson poisson) {
            return new OpenLoopEntry(
                    Kind.POISSON, poisson.requestsPerSecond(), null, null, poisson.seed(), inFlight, load.maxQueued());
        }
        Arrivals.Constant constant = (Arrivals.Constant) load.arrivals();
        return new OpenLoopEntry(
                Kind.CONSTANT, constant.requestsPerSecond(), null, null, null, inFlight, load.maxQueued());
    }

    Load.Open toLoad() {
        return new Load.Open(
                toArrivals(), maxInFlight == null ? OptionalInt.empty() : OptionalInt.of(maxInFlight), maxQueued);
    }

    private Arrivals toArrivals() {
        return switch (arrivals) {
            case CONSTANT -> new Arrivals.Constant(requestsPerSecond);
            case POISSON -> new Arrivals.Poisson(requestsPerSecond, seed == null ? 0 : seed);
            case RAMP ->
                new Arrivals.Ramp(
                        requestsPerSecond,
                        toRequestsPerSecond == null ? 0 : toRequestsPerSecond,
                        Duration.ofNanos(rampNanos == null ? 0 : rampNanos));
        };
    }
}
