package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.Visible;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** What leaves a gate is printed into the XML of a test report, whoever has thrown it: a target of a user's own, or a library. */
final class Thrown {

    private Thrown() {}

    /** Throws this, or the same in visible characters. */
    static RuntimeException visible(Throwable thrown) {
        if (Visible.of(thrown) == thrown) {
            if (thrown instanceof Error error) {
                throw error;
            }
            return (RuntimeException) thrown;
        }
        String message = Visible.text(String.valueOf(thrown.getMessage()));
        Throwable cause = Visible.of(thrown.getCause());
        if (thrown instanceof AssertionError) {
            throw at(thrown, new AssertionFailedError(message, cause));
        }
        if (thrown instanceof ExtensionConfigurationException) {
            return at(thrown, new ExtensionConfigurationException(message, cause));
        }
        if (thrown instanceof TestAbortedException) {
            return at(thrown, new TestAbortedException(message, cause));
        }
        return at(
                thrown,
                new MeasurementException(thrown instanceof MeasurementException ? message : thrown.toString(), cause));
    }

    private static <T extends Throwable> T at(Throwable thrown, T shown) {
        shown.setStackTrace(thrown.getStackTrace());
        for (Throwable suppressed : thrown.getSuppressed()) {
            shown.addSuppressed(Visible.of(suppressed));
        }
        return shown;
    }
}
