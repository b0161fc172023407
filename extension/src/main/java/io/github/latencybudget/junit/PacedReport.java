package io.github.latencybudget.junit;

import io.github.latencybudget.report.Report;
import io.github.latencybudget.report.ReportSummary;
import io.github.latencybudget.trace.OneLine;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * Writes the report while the gates run. Each time takes as long as there are records, so hundreds of short gates would spend
 * their time on it: then it is left out now and then, for a report a few gates old. A report that cannot be written is no reason
 * for a gate to fail, for the records are kept apart from it.
 */
final class PacedReport {

    /** So much may be spent at any time, and of the time that has passed since the first one this share. */
    private static final long FREE_NANOS = 2_000_000_000;

    private static final double SHARE = 0.1;

    private final LongSupplier nanos;
    private final long startNanos;
    private long spentNanos;
    private boolean hasFailed;

    PacedReport(LongSupplier nanos) {
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
    }

    /** Writes the report, unless too much of the time went into it already. */
    synchronized void writeInPassing(Settings settings) {
        if (spentNanos <= FREE_NANOS + SHARE * (nanos.getAsLong() - startNanos)) {
            write(settings);
        }
    }

    /** {@return what the report says; empty where it could not be written, which is said once} */
    synchronized Optional<ReportSummary> write(Settings settings) {
        long before = nanos.getAsLong();
        try {
            return Optional.of(Report.write(settings.records(), settings.output()));
        } catch (UncheckedIOException | ExtensionConfigurationException e) {
            if (!hasFailed) {
                Console.say(String.format(
                        Locale.ROOT,
                        "%s%s; the gates run on: make the folder writable, or name another with latencybudget.output",
                        OneLine.of(String.valueOf(e.getMessage())),
                        e.getCause() == null ? "" : " (" + e.getCause() + ")"));
            }
            hasFailed = true;
            return Optional.empty();
        } finally {
            spentNanos += nanos.getAsLong() - before;
        }
    }
}
