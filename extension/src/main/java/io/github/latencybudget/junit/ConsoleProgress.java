package io.github.latencybudget.junit;

import io.github.latencybudget.target.Progress;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Prints what is going on as plain lines, at most one in a few seconds: they go into the log of a build as they are. */
final class ConsoleProgress implements Progress {

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final PrintStream out;
    private final String gate;
    private long lastNanos = System.nanoTime();

    ConsoleProgress(PrintStream out, String gate) {
        this.out = out;
        this.gate = gate;
    }

    @Override
    public void step(String what, long done, long total, String unit) {
        long now = System.nanoTime();
        if (now - lastNanos >= QUIET_NANOS) {
            lastNanos = now;
            out.println("[latency-budget] %s: %s, %s of %s %s"
                    .formatted(gate, what, amount(done, unit), amount(total, unit), unit(unit)));
        }
    }

    private static String amount(long value, String unit) {
        return unit.equals("bytes")
                ? String.format(Locale.ROOT, "%.1f", value / (double) (1L << 20))
                : Long.toString(value);
    }

    private static String unit(String unit) {
        return unit.equals("bytes") ? "MiB" : unit;
    }
}
