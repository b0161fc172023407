package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Measurement;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/** Says what a run gave as a whole, to be printed beside the run's conditions. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class SystemText {

    private static final double NANOS_PER_SECOND = 1e9;

    private SystemText() {}

    /**
     * {@return such as {@code 812.4 tokens/s (6400 tokens in 7.88 s), 7.7 requests in flight on average}; empty for one request at
     * a time, where it says nothing that the rates of the requests do not, and where no token came}
     */
    public static Optional<String> of(Measurement measurement) {
        if (measurement.conditions().concurrency() == 1) {
            return Optional.empty();
        }
        return SystemThroughput.of(measurement.traces())
                .map(
                        s -> measurement.peakDeviceMemoryBytes().isPresent()
                                ? inWords(s)
                                : "not stated, for the device memory in use could not be read, and a TGS value without it says nothing");
    }

    private static String inWords(SystemThroughput system) {
        return String.format(
                Locale.ROOT,
                "%s (%d tokens in %.2f s), %.1f requests in flight on average",
                Quantity.of(Metric.REQUEST_TGS, system.systemTgs()),
                system.outputTokens(),
                system.windowNanos() / NANOS_PER_SECOND,
                system.meanInFlight());
    }
}
