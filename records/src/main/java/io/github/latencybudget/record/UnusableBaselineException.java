package io.github.latencybudget.record;

import io.github.latencybudget.trace.Visible;
import org.apiguardian.api.API;

/** There is no baseline where one is asked for, or its file cannot be used. The message says which file and what to do next. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class UnusableBaselineException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UnusableBaselineException(String message) {
        super(Visible.text(message));
    }

    UnusableBaselineException(String message, Throwable cause) {
        super(Visible.text(message), Visible.of(cause));
    }
}
