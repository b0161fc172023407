package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import org.apiguardian.api.API;

/** Prints values with their units: times as milliseconds, with as many decimals as tell them apart. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Quantity {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int NANO_DECIMALS = 6;

    private Quantity() {}

    /** {@return the value with its unit, such as {@code 63.4 ms} or {@code 20.1 tokens/s}} */
    public static String of(Metric metric, double value) {
        return of(metric, value, decimals(inPrintedUnit(metric, value)));
    }

    /** {@return the value with enough decimals to be told from the other, where the two differ} */
    public static String of(Metric metric, double value, double other) {
        int decimals = decimals(inPrintedUnit(metric, value));
        while (value != other
                && decimals < NANO_DECIMALS
                && of(metric, value, decimals).equals(of(metric, other, decimals))) {
            decimals++;
        }
        return of(metric, value, decimals);
    }

    /** {@return such as {@code 21.8 GiB}} */
    public static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, bytes < 1L << 30 ? "%.3f GiB" : "%.1f GiB", bytes / (double) (1L << 30));
    }

    private static String of(Metric metric, double value, int decimals) {
        return String.format(
                Locale.ROOT,
                "%." + decimals + "f %s",
                inPrintedUnit(metric, value),
                metric.unit() == Metric.Unit.NANOSECONDS ? "ms" : "tokens/s");
    }

    private static double inPrintedUnit(Metric metric, double value) {
        return metric.unit() == Metric.Unit.NANOSECONDS ? value / NANOS_PER_MILLI : value;
    }

    private static int decimals(double value) {
        double size = Math.abs(value);
        if (size < 1) {
            return 3;
        }
        return size < 10 ? 2 : 1;
    }
}
