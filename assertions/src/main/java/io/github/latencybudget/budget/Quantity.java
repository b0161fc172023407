package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.function.IntFunction;
import org.apiguardian.api.API;

/** Prints values with their units: times as milliseconds, with as many decimals as tell them apart. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Quantity {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int NANO_DECIMALS = 6;
    private static final double BYTES_PER_GIB = 1L << 30;
    /** All that a double holds: a TPOT can differ from its limit by a fraction of a nanosecond. */
    private static final int MAX_DECIMALS = 15;

    private Quantity() {}

    /** {@return the value with its unit, such as {@code 63.4 ms} or {@code 20.1 tokens/s}} */
    public static String of(Metric metric, double value) {
        double printed = inPrintedUnit(metric, value);
        return fixed(printed, decimals(printed)) + unit(metric);
    }

    /** {@return the value with enough decimals to be told from the other, where the two differ} */
    public static String of(Metric metric, double value, double other) {
        return distinct(inPrintedUnit(metric, value), inPrintedUnit(metric, other)) + unit(metric);
    }

    /** {@return the value with all its decimals and at least one, as a limit is printed} */
    static String exact(Metric metric, double value) {
        BigDecimal exact = metric.unit() == Metric.Unit.NANOSECONDS
                ? BigDecimal.valueOf((long) value, NANO_DECIMALS)
                : BigDecimal.valueOf(value);
        BigDecimal stripped = exact.stripTrailingZeros();
        return (stripped.scale() < 1 ? stripped.setScale(1) : stripped).toPlainString() + unit(metric);
    }

    /** {@return such as {@code 21.8 GiB}} */
    public static String gibibytes(long bytes) {
        return fixed(bytes / BYTES_PER_GIB, gibibyteDecimals(bytes)) + " GiB";
    }

    /** {@return as many gibibytes, with enough decimals to be told from the other, where the two differ} */
    static String gibibytes(long bytes, long other) {
        return distinct(bytes / BYTES_PER_GIB, other / BYTES_PER_GIB, gibibyteDecimals(bytes)) + " GiB";
    }

    /** {@return a share, such as {@code 26.8%}} */
    static String percent(double share) {
        return fixed(100 * share, 1) + "%";
    }

    private static String distinct(double value, double other) {
        return distinct(value, other, decimals(value));
    }

    private static String distinct(double value, double other, int decimals) {
        IntFunction<String> printed = d -> fixed(value, d);
        int enough = decimals;
        while (value != other && enough < MAX_DECIMALS && printed.apply(enough).equals(fixed(other, enough))) {
            enough++;
        }
        return printed.apply(enough);
    }

    private static String fixed(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String unit(Metric metric) {
        return metric.unit() == Metric.Unit.NANOSECONDS ? " ms" : " tokens/s";
    }

    private static double inPrintedUnit(Metric metric, double value) {
        return metric.unit() == Metric.Unit.NANOSECONDS ? value / NANOS_PER_MILLI : value;
    }

    private static int gibibyteDecimals(long bytes) {
        return bytes < BYTES_PER_GIB ? 3 : 1;
    }

    private static int decimals(double value) {
        double size = Math.abs(value);
        if (size < 1) {
            return 3;
        }
        return size < 10 ? 2 : 1;
    }
}
