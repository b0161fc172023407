package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * The most memory that was in use on the device during the run is at most a limit. It is what was seen in this run, without a
 * confidence about others.
 *
 * @param maxBytes the limit, included
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record DeviceMemoryRule(long maxBytes) implements Rule {

    /** @throws IllegalArgumentException below 1 */
    public DeviceMemoryRule {
        if (maxBytes < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "maxBytes = %s: must be at least 1", maxBytes));
        }
    }

    /** {@return a limit in bytes} */
    public static DeviceMemoryRule atMostBytes(long maxBytes) {
        return new DeviceMemoryRule(maxBytes);
    }

    @Override
    public Kind kind() {
        return Kind.DEVICE_MEMORY;
    }

    @Override
    public String label() {
        return "peak device memory";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.BYTES;
    }

    @Override
    public boolean isAtMost() {
        return true;
    }

    @Override
    public double limitInUnit() {
        return maxBytes;
    }

    @Override
    public DeviceMemoryRule withLimit(double limitInUnit) {
        return new DeviceMemoryRule((long) limitInUnit);
    }

    @Override
    public String text() {
        return "peak device memory at most " + Quantity.exact(unit(), maxBytes);
    }
}
