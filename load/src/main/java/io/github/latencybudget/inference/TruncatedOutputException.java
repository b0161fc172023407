package io.github.latencybudget.inference;

import org.apiguardian.api.API;

/** A stream ended before its output was over, though nothing broke: neither a finish reason came nor an end. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TruncatedOutputException extends Exception {

    private static final long serialVersionUID = 1L;

    /** @param message how it ended, in one sentence; neither a key nor a prompt */
    public TruncatedOutputException(String message) {
        super(message);
    }
}
