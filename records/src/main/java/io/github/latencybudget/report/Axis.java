package io.github.latencybudget.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Turns values into places within a figure.
 *
 * @param min the value at {@code start}
 * @param max the value at {@code end}; values beyond are drawn there
 * @param start a place in the figure
 * @param end another, which may lie before it: a figure's y grows downwards
 * @param unit what one step of the labels is in values: 1e6 to label nanoseconds as milliseconds
 */
record Axis(double min, double max, double start, double end, double unit) {

    static final double MILLISECONDS = 1e6;
    static final double ONE = 1;
    static final double PERCENT = 0.01;

    private static final int MOST_TICKS = 8;

    /** A label and its place. */
    record Tick(String at, String label) {}

    Axis {
        if (!(max > min)) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "an axis from %s to %s", min, max));
        }
    }

    /** {@return the place of a value, as it is written into the figure} */
    String at(double value) {
        return text(place(value));
    }

    double place(double value) {
        double share = (Math.min(max, Math.max(min, value)) - min) / (max - min);
        return start + share * (end - start);
    }

    /** {@return at most eight round values with their places} */
    List<Tick> ticks() {
        BigDecimal step = step((max - min) / unit);
        List<Tick> ticks = new ArrayList<>();
        BigDecimal value = BigDecimal.valueOf(min / unit)
                .divide(step, 0, RoundingMode.CEILING)
                .multiply(step);
        while (value.doubleValue() <= max / unit) {
            ticks.add(new Tick(
                    at(value.doubleValue() * unit), value.stripTrailingZeros().toPlainString()));
            value = value.add(step);
        }
        return ticks;
    }

    static String text(double place) {
        return String.format(Locale.ROOT, "%.1f", place);
    }

    private static BigDecimal step(double range) {
        BigDecimal power = BigDecimal.ONE.movePointRight((int) Math.floor(Math.log10(range)) - 1);
        for (int factor : new int[] {1, 2, 5, 10, 20, 50}) {
            BigDecimal step = power.multiply(BigDecimal.valueOf(factor));
            if (range / step.doubleValue() <= MOST_TICKS - 1) {
                return step;
            }
        }
        throw new IllegalStateException("no step for a range of " + range);
    }
}
