package io.github.latencybudget.inference;

import java.util.Optional;
import org.apiguardian.api.API;

/** A kind of thing that generates tokens. Has a public constructor without parameters. A gate names it by {@code @InferenceTarget}, or
 * has a model that it {@linkplain #opens opens}. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Target {

    /**
     * {@return whether a gate that has such a model, and names no target, is measured on this one}
     *
     * <p>Only targets that are registered as a {@linkplain java.util.ServiceLoader service} of this type are asked. Exactly one of them
     * opens a model.
     *
     * @param model such as {@code acme:large}
     */
    default boolean opens(String model) {
        return false;
    }

    /**
     * {@return host and port of the server that generates, such as {@code 127.0.0.1:8000}; empty where a device of this machine does}
     *
     * <p>Gates on one server, or on one device, wait for each other. Only targets that are registered as a service are asked.
     *
     * @param model a model that this target {@linkplain #opens opens}
     * @throws MeasurementException where the model names no server although it has to
     */
    default Optional<String> server(String model) {
        return Optional.empty();
    }

    /**
     * Opens the target, which can take minutes: a model is read and brought to its device, or a server is reached. What this
     * returns is shared by all gates with an equal spec and closed after the last.
     *
     * @param spec what to open
     * @param progress told what is going on meanwhile
     * @throws MeasurementException where it cannot be opened: says what was wrong, with which value, and what to do next
     */
    TargetSession open(TargetSpec spec, Progress progress);
}
