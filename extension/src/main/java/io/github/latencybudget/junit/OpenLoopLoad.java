package io.github.latencybudget.junit;

import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import java.util.OptionalInt;

/** Turns an {@link OpenLoop} into a load, and refuses what cannot be meant. */
record OpenLoopLoad(OpenLoop openLoop, AttributeCheck check) {

    OpenLoopLoad(OpenLoop openLoop, String where) {
        this(openLoop, new AttributeCheck(OpenLoop.class, where));
    }

    /**
     * {@return the load}
     *
     * @param seed of what is drawn
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value
     */
    Load.Open load(long seed) {
        check.require(
                openLoop.maxInFlight() >= 0,
                "maxInFlight",
                openLoop.maxInFlight(),
                "must be at least 1, or 0 for as many as the target can have");
        check.require(openLoop.maxQueued() >= 0, "maxQueued", openLoop.maxQueued(), "must be at least 0");
        return new Load.Open(
                arrivals(seed),
                openLoop.maxInFlight() == 0 ? OptionalInt.empty() : OptionalInt.of(openLoop.maxInFlight()),
                openLoop.maxQueued());
    }

    private Arrivals arrivals(long seed) {
        double rate = openLoop.requestsPerSecond();
        if (openLoop.arrivals() == OpenLoop.Arrivals.RAMP) {
            return ramp(rate);
        }
        check.require(Arrivals.isRate(rate), "requestsPerSecond", rate, Arrivals.ALLOWED_RATE);
        requireNotSet("toRequestsPerSecond", openLoop.toRequestsPerSecond());
        requireNotSet("rampSeconds", openLoop.rampSeconds());
        return openLoop.arrivals() == OpenLoop.Arrivals.POISSON
                ? new Arrivals.Poisson(rate, seed)
                : new Arrivals.Constant(rate);
    }

    private Arrivals ramp(double from) {
        check.require(Arrivals.isStart(from), "requestsPerSecond", from, Arrivals.ALLOWED_START);
        double to = openLoop.toRequestsPerSecond();
        check.require(
                to != OpenLoop.NOT_SET,
                "`arrivals = RAMP` takes `toRequestsPerSecond`, the rate that it comes to; set it");
        check.require(Arrivals.isRate(to), "toRequestsPerSecond", to, Arrivals.ALLOWED_RATE);
        check.require(
                from != to,
                "toRequestsPerSecond",
                to,
                "a ramp ends at another rate than it starts with; set one, or `arrivals = CONSTANT`");
        double seconds = openLoop.rampSeconds();
        check.require(
                seconds != OpenLoop.NOT_SET,
                "`arrivals = RAMP` takes `rampSeconds`, how long the change takes; set it");
        check.require(Arrivals.isRampSeconds(seconds), "rampSeconds", seconds, Arrivals.ALLOWED_RAMP);
        return Arrivals.Ramp.overSeconds(from, to, seconds);
    }

    private void requireNotSet(String attribute, double value) {
        check.require(
                value == OpenLoop.NOT_SET,
                attribute,
                value,
                "only a ramp has it; set `arrivals = RAMP`, or leave it out");
    }
}
