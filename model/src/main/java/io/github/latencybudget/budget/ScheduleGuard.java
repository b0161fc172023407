package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Whether the client of an open loop kept its schedule. What it sends late is late for the user, so the delay is part of the
 * latency; past a share of a limit it is the client that is judged, or the limit on what may be in flight, and no longer the target.
 */
final class ScheduleGuard {

    private static final Set<Metric> FROM_THE_START = EnumSet.of(Metric.TTFT, Metric.TTFO, Metric.E2E);

    private ScheduleGuard() {}

    /** What the delay is compared with: the smallest limit on a time from the start, else how long half of the requests took. */
    private record Yardstick(Percentile percentile, double nanos, String text) {}

    static GuardCheck check(Measurement measurement, List<Rule> rules, double mostShare) {
        long[] delays = measurement.traces().stream()
                .filter(t -> t.scheduleDelayNanos().isPresent())
                .mapToLong(t -> t.scheduleDelayNanos().getAsLong())
                .sorted()
                .toArray();
        if (delays.length == 0) {
            return GuardCheck.notApplicable("a closed loop has no schedule");
        }
        Optional<Yardstick> yardstick = yardstick(measurement, rules);
        if (yardstick.isEmpty()) {
            return GuardCheck.notChecked("no request completed, so there is nothing to compare the delays with");
        }
        Percentile percentile = yardstick.get().percentile();
        long delay = delays[percentile.rank(delays.length) - 1];
        String seen = String.format(
                Locale.ROOT,
                "requests were sent up to %s after they were due (%s %s)",
                millis(delays[delays.length - 1]),
                percentile,
                millis(delay));
        double most = mostShare * yardstick.get().nanos();
        if (delay <= most) {
            return GuardCheck.clear(seen);
        }
        String late = String.format(
                Locale.ROOT,
                "%s, over %s of %s",
                seen,
                Quantity.percent(mostShare),
                yardstick.get().text());
        OptionalInt room = measurement.watch().mostInFlight();
        if (room.isEmpty()) {
            return GuardCheck.found(Finding.Kind.CLIENT_BEHIND, behind(measurement, percentile, most, late));
        }
        long[] own = new RoomWaits(measurement.traces(), room.getAsInt()).delaysOfTheClient(measurement.traces());
        long ownDelay = own[percentile.rank(own.length) - 1];
        if (ownDelay <= most) {
            return GuardCheck.found(Finding.Kind.NO_ROOM, noRoom(measurement, late, room.getAsInt()));
        }
        return GuardCheck.found(
                Finding.Kind.CLIENT_BEHIND,
                behind(
                        measurement,
                        percentile,
                        most,
                        ownDelay == delay
                                ? late
                                : late
                                        + String.format(
                                                Locale.ROOT,
                                                ", and up to %s (%s %s) of that while there was room for more in flight",
                                                millis(own[own.length - 1]),
                                                percentile,
                                                millis(ownDelay))));
    }

    private static String behind(Measurement measurement, Percentile percentile, double most, String late) {
        long[] sending = measurement.traces().stream()
                .filter(t -> t.scheduleDelayNanos().isPresent())
                .mapToLong(t -> t.sentNanos().getAsLong() - t.begunNanos().getAsLong())
                .sorted()
                .toArray();
        long sent = sending[percentile.rank(sending.length) - 1];
        return sent > most
                ? String.format(
                        Locale.ROOT,
                        "the client could not keep up, or the server did not take its requests: %s, and %s (%s) passed from when they were begun to their last byte, in which the connection, the network and a server that reads slowly are too; see those, send fewer requests per second, or from more machines",
                        late,
                        millis(sent),
                        percentile)
                : String.format(
                        Locale.ROOT,
                        "the client could not keep up: %s; send fewer requests per second, or from more machines",
                        late);
    }

    private static String noRoom(Measurement measurement, String late, int mostInFlight) {
        boolean isSet = measurement
                .conditions()
                .openLoop()
                .filter(open -> open.maxInFlight().isPresent())
                .isPresent();
        return String.format(
                Locale.ROOT,
                "there was no room for more requests in flight: %s, while %d %s in flight, %s, or send fewer requests per second",
                late,
                mostInFlight,
                mostInFlight == 1 ? "was" : "were",
                isSet
                        ? "as many as maxInFlight allows; raise it"
                        : "as many as the target can have; open it with room for more");
    }

    private static Optional<Yardstick> yardstick(Measurement measurement, List<Rule> rules) {
        return rules.stream()
                .flatMap(r -> yardstick(r).stream())
                .min(Comparator.comparingDouble(Yardstick::nanos))
                .or(() -> median(measurement));
    }

    private static Optional<Yardstick> yardstick(Rule rule) {
        if (rule instanceof LatencyRule latency && FROM_THE_START.contains(latency.metric())) {
            return Optional.of(yardstick(latency.percentile(), rule, latency.metric()));
        }
        return rule instanceof MeanLatencyRule mean && FROM_THE_START.contains(mean.metric())
                ? Optional.of(yardstick(Percentile.P50, rule, mean.metric()))
                : Optional.empty();
    }

    private static Yardstick yardstick(Percentile percentile, Rule rule, Metric metric) {
        return new Yardstick(
                percentile,
                rule.limitInUnit(),
                String.format(Locale.ROOT, "the limit of %s on %s", millis(rule.limitInUnit()), metric.label()));
    }

    private static Optional<Yardstick> median(Measurement measurement) {
        return Distribution.of(Metric.E2E, measurement.completed()).percentile(Percentile.P50).stream()
                .mapToObj(e2e -> new Yardstick(
                        Percentile.P95, e2e, String.format(Locale.ROOT, "the median E2E of %s", millis(e2e))))
                .findFirst();
    }

    private static String millis(double nanos) {
        return Quantity.of(Metric.TTFT, nanos);
    }
}
