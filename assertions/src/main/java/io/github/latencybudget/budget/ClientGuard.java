package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
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

    private static final double NANOS_PER_SECOND = 1e9;
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
                        mostShare * limit.nanos(), "%s of %s".formatted(Quantity.percent(mostShare), limit.text())));
        ClientCalibration.Step planned = client.planned();
        String seen = "a P99 error of %s at %s events per second in %d stream%s"
                .formatted(
                        millis(planned.p99ErrorNanos()),
                        rate(planned.eventsPerSecond()),
                        client.streams(),
                        client.streams() == 1 ? "" : "s");
        OptionalDouble run = eventsPerSecond(measurement.traces());
        Allowed allowed = share.orElse(UNLIMITED);
        boolean isOver = share.isPresent() && planned.p99ErrorNanos() > allowed.nanos();
        if (isOver || run.isPresent() && client.ceiling(allowed.nanos()).isEmpty()) {
            return GuardCheck.found(
                    Finding.Kind.CLIENT_INEXACT,
                    "the client does not tell times exactly enough: against a server of its own it had %s, over %s; have fewer requests in flight, or a client with more to spare"
                            .formatted(seen, allowed.text()));
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
                    "the client was beyond what it can tell: %s events came per second, and against a server of its own its error (P99) stays within %s up to %s; have fewer requests in flight, or a client with more to spare"
                            .formatted(rate(run.getAsDouble()), allowed.text(), rate(ceiling.getAsDouble())));
        }
        String upTo = ceiling.isEmpty()
                ? ", and over %s at every rate".formatted(allowed.text())
                : ", within %s up to %s%s"
                        .formatted(
                                allowed.text(),
                                rate(ceiling.getAsDouble()),
                                client.isAboveAll(allowed.nanos()) ? " at least" : "");
        return GuardCheck.clear(seen
                + upTo
                + run.stream()
                        .mapToObj(r -> "; the run had " + rate(r))
                        .findFirst()
                        .orElse(""));
    }

    /** {@return how many chunks came per second, from the first start to the last of them; empty where none came, or in no time} */
    private static OptionalDouble eventsPerSecond(List<TokenTrace> traces) {
        if (traces.isEmpty()) {
            return OptionalDouble.empty();
        }
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        long origin = traces.get(0).startNanos();
        long first = 0;
        long last = 0;
        long events = 0;
        for (TokenTrace trace : traces) {
            Chunks chunks = trace.chunks();
            first = Math.min(first, trace.startNanos() - origin);
            last = chunks.count() == 0 ? last : Math.max(last, chunks.arrivalNanos(chunks.count()) - origin);
            events += chunks.count();
        }
        return events == 0 || last <= first
                ? OptionalDouble.empty()
                : OptionalDouble.of(events * NANOS_PER_SECOND / (last - first));
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
                .map(m -> new Allowed(nanos, "the limit of %s on %s".formatted(millis(nanos), m.label())))
                .findFirst();
    }

    private static String millis(double nanos) {
        return Quantity.of(Metric.Unit.NANOSECONDS, nanos);
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%.1f" : "%,.0f", perSecond);
    }
}
