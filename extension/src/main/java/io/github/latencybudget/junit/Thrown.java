package io.github.latencybudget.junit;

import io.github.latencybudget.target.MeasurementException;
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
        Throwable cause = Visible.of(thrown);
        if (thrown instanceof AssertionError) {
            throw new AssertionFailedError(message, cause);
        }
        if (thrown instanceof ExtensionConfigurationException) {
            return new ExtensionConfigurationException(message, cause);
        }
        if (thrown instanceof TestAbortedException) {
            return new TestAbortedException(message, cause);
        }
        return new MeasurementException(message, cause);
    }
}
