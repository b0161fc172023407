package io.github.latencybudget.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How far something is, in words.
 *
 * @param what what is going on
 * @param done how much is done, in {@code unit}
 * @param total how much there is, in {@code unit}
 * @param unit {@code bytes}, {@code requests} or another
 * @param doneMeanwhile how much of it was done in {@code nanos}
 * @param nanos since the start
 */
record ProgressText(String what, long done, long total, String unit, long doneMeanwhile, long nanos) {

    /** So many characters have a place on every terminal. */
    private static final int WIDTH = 79;

    private static final int LEAST_BAR = 6;
    private static final String CUT_OFF = "..";
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final double GIGA = 1e9;

    boolean isBytes() {
        return unit.equals("bytes");
    }

    /** {@return such as {@code loading Llama-2-7b, 5.3 of 12.6 GiB (42%), 1.07 GB/s, 7 s left}} */
    String line() {
        List<String> parts = new ArrayList<>();
        parts.add(what);
        parts.add(String.format(Locale.ROOT, "%s (%d%%)", amounts(), percent()));
        rate().ifPresent(parts::add);
        left().ifPresent(parts::add);
        return String.join(", ", parts);
    }

    /** {@return the same around a bar, as wide as a terminal} */
    String bar() {
        List<String> parts = new ArrayList<>();
        parts.add(amounts());
        rate().ifPresent(parts::add);
        left().ifPresent(parts::add);
        String end = String.format(Locale.ROOT, " %3d%% %s", percent(), String.join(", ", parts));
        int room = WIDTH - end.length() - " []".length();
        String name = what.length() <= room - LEAST_BAR
                ? what
                : what.substring(0, Math.max(0, room - LEAST_BAR - CUT_OFF.length())) + CUT_OFF;
        int width = Math.max(LEAST_BAR, room - name.length());
        int filled = (int) (share() * width);
        return String.format(Locale.ROOT, "%s [%s%s]%s", name, "#".repeat(filled), " ".repeat(width - filled), end);
    }

    /** {@return such as {@code loading Llama-2-7b, 12.6 GiB in 12.3 s, 1.07 GB/s}} */
    String summary() {
        String all = String.format(Locale.ROOT, "%s, %s %s in %.1f s", what, amount(total), scale(), seconds());
        return rate().map(rate -> all + ", " + rate).orElse(all);
    }

    private double share() {
        return total <= 0 ? 1 : Math.min(1, Math.max(0, done / (double) total));
    }

    private int percent() {
        return (int) (100 * share());
    }

    private String amounts() {
        return String.format(Locale.ROOT, "%s of %s %s", amount(done), amount(total), scale());
    }

    private String scale() {
        return !isBytes() ? unit : total >= GIB ? "GiB" : "MiB";
    }

    private String amount(long value) {
        return isBytes()
                ? String.format(Locale.ROOT, "%.1f", value / (double) (total >= GIB ? GIB : MIB))
                : Long.toString(value);
    }

    private double seconds() {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private Optional<String> rate() {
        if (!isBytes() || doneMeanwhile <= 0 || nanos <= 0) {
            return Optional.empty();
        }
        double gigabytes = doneMeanwhile / seconds() / GIGA;
        return Optional.of(
                gigabytes >= 0.1
                        ? String.format(Locale.ROOT, "%.2f GB/s", gigabytes)
                        : String.format(Locale.ROOT, "%.1f MB/s", gigabytes * 1000));
    }

    /** Where the total is only the most that there can be, nothing is said of the time. */
    private Optional<String> left() {
        if (!isBytes() && !unit.equals("requests") || doneMeanwhile <= 0 || nanos <= 0) {
            return Optional.empty();
        }
        long left = (long) Math.ceil(seconds() / doneMeanwhile * (total - done));
        return Optional.of(
                left < 60 ? left + " s left" : String.format(Locale.ROOT, "%d:%02d min left", left / 60, left % 60));
    }
}
