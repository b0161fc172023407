package io.github.latencybudget.device;

import org.apiguardian.api.API;

/** A device could not be had alone. Says what to do next. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class DeviceLockException extends Exception {

    private static final long serialVersionUID = 1L;

    DeviceLockException(String message) {
        super(message);
    }
}
