package io.github.latencybudget.inference;

import io.github.latencybudget.trace.Visible;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** A run could not be made or broke: neither a broken rule nor a wrong annotation. Says what to do next. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class MeasurementException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message what was wrong, with which value, and what to do next */
    public MeasurementException(String message) {
        super(Visible.text(message));
    }

    /**
     * @param message what was wrong, with which value, and what to do next
     * @param cause what it was found by
     */
    public MeasurementException(String message, @Nullable Throwable cause) {
        super(Visible.text(message), Visible.of(cause));
    }
}
