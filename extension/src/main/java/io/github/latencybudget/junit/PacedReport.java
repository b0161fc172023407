package io.github.latencybudget.junit;

import io.github.latencybudget.report.Report;
import io.github.latencybudget.report.ReportSummary;
import io.github.latencybudget.trace.IoFault;
import java.io.UncheckedIOException;
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
        } catch (UncheckedIOException e) {
            return failed(IoFault.unwritable(e, "name another folder with latencybudget.output"));
        } catch (ExtensionConfigurationException e) {
            return failed(e.getMessage());
        } finally {
            spentNanos += nanos.getAsLong() - before;
        }
    }

    private Optional<ReportSummary> failed(String why) {
        if (!hasFailed) {
            Console.say(why + "; the gates run on");
        }
        hasFailed = true;
        return Optional.empty();
    }
}
