package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.Visible;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows what is going on: on a terminal as a bar that is drawn anew in its place, elsewhere as plain lines, at most one in a few
 * seconds, which go into the log of a build as they are. It has no thread of its own and writes only where it is told of a
 * step, between requests, so that it never disturbs what is measured.
 */
final class ConsoleProgress implements Progress, AutoCloseable {

    private static final long BETWEEN_LINES_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long BETWEEN_BARS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What is over in less is not worth a line. */
    private static final long WORTH_A_LINE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PrintStream out;
    private final String gate;
    private final Optional<TerminalLine> bar;
    private final LongSupplier nanoTime;
    private String phase = "";
    private long phaseNanos;
    private long doneBefore;
    private long shownNanos;
    private boolean isBarShown;

    /**
     * @param out where lines go
     * @param gate whose progress it is
     * @param bar where a bar can be drawn; empty for lines only
     * @param nanoTime as of {@link System#nanoTime}
     */
    ConsoleProgress(PrintStream out, String gate, Optional<TerminalLine> bar, LongSupplier nanoTime) {
        this.out = out;
        this.gate = gate;
        this.bar = bar;
        this.nanoTime = nanoTime;
        this.shownNanos = nanoTime.getAsLong();
    }

    @Override
    public synchronized void step(String what, long done, long total, String unit) {
        long now = nanoTime.getAsLong();
        if (!what.equals(phase)) {
            phase = what;
            phaseNanos = now;
            doneBefore = done;
        }
        ProgressText text = new ProgressText(what, done, total, unit, done - doneBefore, now - phaseNanos);
        if (done >= total) {
            end(text, now);
        } else if (now - shownNanos >= (bar.isPresent() ? BETWEEN_BARS_NANOS : BETWEEN_LINES_NANOS)) {
            shownNanos = now;
            isBarShown = bar.isPresent();
            bar.ifPresentOrElse(b -> b.draw(Visible.line(text.bar())), () -> line(text.line()));
        }
    }

    private void end(ProgressText text, long now) {
        clear();
        phase = "";
        if (text.isBytes() && now - phaseNanos >= WORTH_A_LINE_NANOS) {
            shownNanos = now;
            line(text.summary());
        }
    }

    private void line(String text) {
        Console.say(out, String.format(Locale.ROOT, "%s: %s", gate, text));
    }

    private void clear() {
        if (isBarShown) {
            isBarShown = false;
            bar.ifPresent(TerminalLine::clear);
        }
    }

    /** Takes a bar away that something broke off, so that what is printed next starts on a line of its own. */
    @Override
    public synchronized void close() {
        clear();
    }
}
