package io.github.latencybudget.policy;

import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads an open loop. */
final class OpenLoopReader {

    private static final List<String> KINDS = List.of("poisson", "constant", "ramp");

    private OpenLoopReader() {}

    /** {@return the load; its seed is not of the policy} */
    static Load.Open read(Value value) {
        Section openLoop = value.section(Vocabulary.OPEN_LOOP);
        return new Load.Open(
                arrivals(openLoop),
                openLoop.get("maxInFlight")
                        .map(v -> OptionalInt.of(v.wholeNumber(
                                1, "must be at least 1; leave it out for as many as the target can have")))
                        .orElse(OptionalInt.empty()),
                openLoop.get("maxQueued")
                        .map(v -> v.wholeNumber(0, "must be at least 0"))
                        .orElse(Load.Open.QUEUED_BY_DEFAULT));
    }

    private static Arrivals arrivals(Section openLoop) {
        String allowed = String.format(Locale.ROOT, "it is one of %s", Section.list(KINDS));
        Optional<Value> arrivals = openLoop.get("arrivals");
        String kind = arrivals.map(v -> v.text(allowed)).orElse("poisson");
        arrivals.ifPresent(v -> v.require(KINDS.contains(kind), allowed));
        Value rate = openLoop.require("requestsPerSecond", "name how many requests are due per second");
        if (kind.equals("ramp")) {
            return ramp(openLoop, rate);
        }
        List.of("toRequestsPerSecond", "rampSeconds")
                .forEach(key -> openLoop.get(key)
                        .ifPresent(v -> v.require(false, "only a ramp has it; set `arrivals: ramp`, or leave it out")));
        double perSecond = rate(rate);
        return kind.equals("poisson") ? new Arrivals.Poisson(perSecond, 0) : new Arrivals.Constant(perSecond);
    }

    private static Arrivals ramp(Section openLoop, Value start) {
        double from = start.number(Arrivals.ALLOWED_START);
        start.require(Arrivals.isStart(from), Arrivals.ALLOWED_START);
        Value end = openLoop.require("toRequestsPerSecond", "name the rate that the ramp comes to");
        double to = rate(end);
        end.require(from != to, "a ramp ends at another rate than it starts with; set one, or `arrivals: constant`");
        Value over = openLoop.require("rampSeconds", "name how long the change takes");
        double seconds = over.number(Arrivals.ALLOWED_RAMP);
        over.require(Arrivals.isRampSeconds(seconds), Arrivals.ALLOWED_RAMP);
        return Arrivals.Ramp.overSeconds(from, to, seconds);
    }

    static double rate(Value value) {
        double rate = value.number(Arrivals.ALLOWED_RATE);
        value.require(Arrivals.isRate(rate), Arrivals.ALLOWED_RATE);
        return rate;
    }
}
