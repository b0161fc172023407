package io.github.latencybudget.target;

import io.github.latencybudget.trace.NanoClock;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/** An open target, ready to generate. One request at a time. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface TargetSession extends AutoCloseable {

    /** {@return what was opened, as verified on the device, not as asked for} */
    TargetDescription description();

    /**
     * Makes everything that a request needs and that is not part of its time: the prompt, the memory for its KV cache.
     *
     * @throws MeasurementException where the request cannot be made, such as a prompt longer than the context
     */
    Generation prepare(GenerationRequest request);

    /** {@return the memory now in use on the device, in bytes; empty where it cannot be read} */
    OptionalLong deviceMemoryBytes();

    /** {@return the clock that arrivals are read from; a scripted target brings its own} */
    default NanoClock clock() {
        return NanoClock.SYSTEM;
    }

    @Override
    void close();
}
