package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apiguardian.api.API;

/** What became of the load that a run was to be under, in words. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class LoadText {

    private static final double NANOS_PER_SECOND = 1e9;

    private LoadText() {}

    /**
     * {@return the arrivals with what they follow from and their bounds, such as {@code open loop of 5 requests/s, Poisson, seed 42; at
     * most 64 in flight and 100 waiting}}
     */
    public static String arrivals(Load.Open load) {
        return String.format(
                Locale.ROOT,
                "%s%s; at most %s in flight and %d waiting",
                load.text(),
                load.arrivals() instanceof Arrivals.Poisson poisson ? ", seed " + poisson.seed() : "",
                load.maxInFlight().isPresent() ? load.maxInFlight().getAsInt() : "as many as the target can have",
                load.maxQueued());
    }

    /**
     * {@return the rates, such as {@code 4.98 requests/s due, 4.97 sent, 4.90 completed; 3 of 200 never sent}; empty for a closed loop,
     * and where fewer than two requests were due}
     *
     * <p>Each is one less than the number of requests over the time from the first to the last of them: when they were due, when they
     * were sent, when the last token came. How many did not complete stands beside it, for they may have come after the last that did.
     */
    public static Optional<String> rates(Measurement measurement) {
        if (measurement.conditions().openLoop().isEmpty()) {
            return Optional.empty();
        }
        List<TokenTrace> all = measurement.traces();
        OptionalDouble due = rate(all, t -> OptionalLong.of(t.startNanos()));
        if (due.isEmpty()) {
            return Optional.empty();
        }
        long dropped = all.stream().filter(t -> t.outcome() == Outcome.DROPPED).count();
        long failed = all.size() - dropped - measurement.completed().size();
        return Optional.of(String.format(
                Locale.ROOT,
                "%s requests/s due, %s sent, %s completed%s%s",
                inWords(due),
                inWords(rate(all, TokenTrace::sentNanos)),
                inWords(rate(measurement.completed(), t -> OptionalLong.of(t.arrivalNanos(t.outputTokens())))),
                dropped == 0 ? "" : String.format(Locale.ROOT, "; %d of %d never sent", dropped, all.size()),
                failed == 0
                        ? ""
                        : String.format(Locale.ROOT, "; %d of %d sent and not completed", failed, all.size())));
    }

    /** {@return such as {@code P50 0.020 ms, P99 0.150 ms, max 2.10 ms}; empty where no request had a schedule} */
    public static Optional<String> scheduleDelay(Measurement measurement) {
        double[][] delays = measurement.traces().stream()
                .flatMapToLong(t -> t.scheduleDelayNanos().stream())
                .mapToObj(delay -> new double[] {delay})
                .toArray(double[][]::new);
        if (delays.length == 0) {
            return Optional.empty();
        }
        Distribution delay = Distribution.of(delays);
        return Optional.of(String.format(
                Locale.ROOT,
                "P50 %s, P99 %s, max %s",
                millis(delay.percentile(Percentile.P50)),
                millis(delay.percentile(Percentile.P99)),
                millis(delay.max())));
    }

    /** {@return such as {@code 9.7 on average, 21 at most}; empty for one request at a time, and where none was sent} */
    public static Optional<String> inFlight(Measurement measurement) {
        InFlight sent = InFlight.sent(measurement.traces());
        boolean isOneAtATime = measurement.conditions().openLoop().isEmpty()
                && measurement.conditions().concurrency() == 1;
        return isOneAtATime || sent.peak() == 0
                ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "%.1f on average, %d at most", sent.mean(), sent.peak()));
    }

    /** {@return rates, delay and requests in flight of an open loop; empty for a closed one} */
    static Optional<String> of(Measurement measurement) {
        return rates(measurement)
                .map(rates -> rates
                        + scheduleDelay(measurement)
                                .map(d -> "; sent after they were due by " + d)
                                .orElse("")
                        + inFlight(measurement).map(f -> "; in flight " + f).orElse(""));
    }

    private static OptionalDouble rate(List<TokenTrace> traces, Function<TokenTrace, OptionalLong> when) {
        if (traces.isEmpty()) {
            return OptionalDouble.empty();
        }
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        long origin = traces.get(0).startNanos();
        long[] times = traces.stream()
                .map(when)
                .flatMapToLong(OptionalLong::stream)
                .map(nanos -> nanos - origin)
                .sorted()
                .toArray();
        return times.length < 2 || times[times.length - 1] == times[0]
                ? OptionalDouble.empty()
                : OptionalDouble.of((times.length - 1) * NANOS_PER_SECOND / (times[times.length - 1] - times[0]));
    }

    private static String inWords(OptionalDouble rate) {
        return rate.isEmpty() ? "too few" : String.format(Locale.ROOT, "%.2f", rate.getAsDouble());
    }

    private static String millis(OptionalDouble nanos) {
        return Quantity.of(Metric.TTFT, nanos.orElseThrow());
    }
}
