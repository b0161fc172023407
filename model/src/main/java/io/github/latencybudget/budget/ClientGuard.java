package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Whether the client told arrivals exactly enough for the limits that are judged. What it adds to an arrival is in every time from
 * the start and in every single gap; in a TPOT it is shared by all tokens.
 */
final class ClientGuard {

    private static final Set<Metric> SINGLE_TIMES =
            EnumSet.of(Metric.TTFT, Metric.TTFO, Metric.ITL, Metric.ICL, Metric.E2E);

    /** Without a limit on a single time there is none to take a share of, and only the rate is judged. */
    private static final Allowed UNLIMITED = new Allowed(1e6, "1.00 ms");

    private ClientGuard() {}

    private record Allowed(double nanos, String text) {}

    static GuardCheck check(Measurement measurement, List<Rule> rules, double mostShare) {
        Optional<ClientCalibration> calibration = measurement.watch().client();
        if (calibration.isEmpty()) {
            return GuardCheck.notChecked("the client was not calibrated");
        }
        ClientCalibration client = calibration.get();
        Optional<Allowed> share = rules.stream()
                .flatMap(r -> limit(r).stream())
                .min(Comparator.comparingDouble(Allowed::nanos))
                .map(limit -> new Allowed(
                        mostShare * limit.nanos(),
                        String.format(Locale.ROOT, "%s of %s", Quantity.percent(mostShare), limit.text())));
        ClientCalibration.Step planned = client.planned();
        String seen = String.format(
                Locale.ROOT,
                "a P99 error of %s at %s events per second in %d stream%s",
                millis(planned.p99ErrorNanos()),
                rate(planned.eventsPerSecond()),
                client.streams(),
                client.streams() == 1 ? "" : "s");
        OptionalDouble run = BusiestSecond.eventsPerSecond(measurement.traces());
        Allowed allowed = share.orElse(UNLIMITED);
        boolean isOver = share.isPresent() && planned.p99ErrorNanos() > allowed.nanos();
        if (isOver || run.isPresent() && client.ceiling(allowed.nanos()).isEmpty()) {
            return GuardCheck.found(
                    Finding.Kind.CLIENT_INEXACT,
                    String.format(
                            Locale.ROOT,
                            "the client does not tell times exactly enough: against a server of its own it had %s, over %s; have fewer requests in flight, or a client with more to spare",
                            seen,
                            allowed.text()));
        }
        return ceiling(run, client, allowed, seen);
    }

    private static GuardCheck ceiling(OptionalDouble run, ClientCalibration client, Allowed allowed, String seen) {
        OptionalDouble ceiling = client.ceiling(allowed.nanos());
        if (run.isPresent()
                && ceiling.isPresent()
                && run.getAsDouble() > ceiling.getAsDouble()
                && !client.isAboveAll(allowed.nanos())) {
            return GuardCheck.found(
                    Finding.Kind.CLIENT_INEXACT,
                    String.format(
                            Locale.ROOT,
                            "the client was beyond what it can tell: %s events per second came in the busiest second, and against a server of its own its error (P99) stays within %s up to %s; have fewer requests in flight, or a client with more to spare",
                            rate(run.getAsDouble()),
                            allowed.text(),
                            rate(ceiling.getAsDouble())));
        }
        String upTo = ceiling.isEmpty()
                ? String.format(Locale.ROOT, ", and over %s at every rate", allowed.text())
                : String.format(
                        Locale.ROOT,
                        ", within %s up to %s%s",
                        allowed.text(),
                        rate(ceiling.getAsDouble()),
                        client.isAboveAll(allowed.nanos()) ? " at least" : "");
        return GuardCheck.clear(seen
                + upTo
                + run.stream()
                        .mapToObj(r -> String.format(Locale.ROOT, "; the run had %s in its busiest second", rate(r)))
                        .findFirst()
                        .orElse("")
                + protocols(client));
    }

    private static String protocols(ClientCalibration client) {
        return client.wasOverAnotherProtocol()
                ? String.format(
                        Locale.ROOT,
                        "; measured over %s, where the endpoint is reached over %s: what that takes beyond it is not in the error",
                        client.protocol(),
                        client.endpointProtocol())
                : "";
    }

    /** {@return what the guard leaves the rule that has the largest limit on a single time, in nanoseconds; empty without one} */
    static OptionalDouble mostAllowedNanos(List<Rule> rules, double mostShare) {
        return rules.stream()
                .flatMap(r -> limit(r).stream())
                .mapToDouble(limit -> mostShare * limit.nanos())
                .max();
    }

    private static Optional<Allowed> limit(Rule rule) {
        if (rule instanceof LatencyRule latency) {
            return limit(latency.metric(), rule.limitInUnit());
        }
        if (rule instanceof MeanLatencyRule mean) {
            return limit(mean.metric(), rule.limitInUnit());
        }
        if (rule instanceof RequestItlRule) {
            return limit(Metric.ITL, rule.limitInUnit());
        }
        if (rule instanceof FluidityRule fluidity) {
            return limit(Metric.ITL, fluidity.itlLimit().toNanos());
        }
        return rule instanceof GoodputRule goodput
                ? goodput.limits().stream()
                        .flatMap(l -> limit(l.metric(), l.limit().toNanos()).stream())
                        .min(Comparator.comparingDouble(Allowed::nanos))
                : Optional.empty();
    }

    private static Optional<Allowed> limit(Metric metric, double nanos) {
        return Stream.of(metric)
                .filter(SINGLE_TIMES::contains)
                .map(m -> new Allowed(
                        nanos, String.format(Locale.ROOT, "the limit of %s on %s", millis(nanos), m.label())))
                .findFirst();
    }

    private static String millis(double nanos) {
        return Quantity.of(Metric.Unit.NANOSECONDS, nanos);
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%.1f" : "%,.0f", perSecond);
    }
}
