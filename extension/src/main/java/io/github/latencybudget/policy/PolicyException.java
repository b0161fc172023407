package io.github.latencybudget.policy;

import io.github.latencybudget.trace.Visible;
import org.apiguardian.api.API;

/** A policy cannot be read or cannot be meant. Says in which file, line and column, what it was and what to do next. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PolicyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PolicyException(String message) {
        super(Visible.text(message));
    }
}
