package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
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
    public static String of(PerRequest metric, double value) {
        return of(metric.unit(), value);
    }

    /** {@return the value with enough decimals to be told from the other, where the two differ} */
    public static String of(PerRequest metric, double value, double other) {
        return of(metric.unit(), value, other);
    }

    /** {@return the value with all its decimals and at least one, as a limit is printed} */
    public static String exact(PerRequest metric, double value) {
        return exact(metric.unit(), value);
    }

    /** {@return the value with its unit, such as {@code 63.4 ms}, {@code 20.1 tokens/s}, {@code 99.2%} or {@code 21.8 GiB}} */
    public static String of(Metric.Unit unit, double value) {
        double printed = inPrintedUnit(unit, value);
        return fixed(printed, decimals(unit, printed)) + name(unit);
    }

    /** {@return the value with enough decimals to be told from the other, where the two differ} */
    public static String of(Metric.Unit unit, double value, double other) {
        double printed = inPrintedUnit(unit, value);
        return distinct(printed, inPrintedUnit(unit, other), decimals(unit, printed)) + name(unit);
    }

    /** {@return the value with all its decimals and at least one, as a limit is printed} */
    public static String exact(Metric.Unit unit, double value) {
        BigDecimal exact = switch (unit) {
            case NANOSECONDS -> BigDecimal.valueOf((long) value, NANO_DECIMALS);
            case SHARE -> BigDecimal.valueOf(value).movePointRight(2);
            case TOKENS_PER_SECOND -> BigDecimal.valueOf(value);
            case BYTES -> BigDecimal.valueOf(value / BYTES_PER_GIB);
        };
        BigDecimal stripped = exact.stripTrailingZeros();
        return (stripped.scale() < 1 ? stripped.setScale(1) : stripped).toPlainString() + name(unit);
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

    private static String name(Metric.Unit unit) {
        return switch (unit) {
            case NANOSECONDS -> " ms";
            case TOKENS_PER_SECOND -> " tokens/s";
            case SHARE -> "%";
            case BYTES -> " GiB";
        };
    }

    private static double inPrintedUnit(Metric.Unit unit, double value) {
        return switch (unit) {
            case NANOSECONDS -> value / NANOS_PER_MILLI;
            case TOKENS_PER_SECOND -> value;
            case SHARE -> 100 * value;
            case BYTES -> value / BYTES_PER_GIB;
        };
    }

    private static int gibibyteDecimals(long bytes) {
        return bytes < BYTES_PER_GIB ? 3 : 1;
    }

    private static int decimals(Metric.Unit unit, double value) {
        double size = Math.abs(value);
        if (unit == Metric.Unit.SHARE) {
            return 1;
        }
        if (size < 1) {
            return 3;
        }
        return size < 10 && unit != Metric.Unit.BYTES ? 2 : 1;
    }
}
