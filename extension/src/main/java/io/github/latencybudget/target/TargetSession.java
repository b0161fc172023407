package io.github.latencybudget.target;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import java.util.List;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/** An open target, ready to generate. At most {@link #maxConcurrency} requests at a time are between prepare and end. */
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

    /** {@return how many requests can be in flight at a time, each prepared and run by a thread of its own; 1 unless a target can do more} */
    default int maxConcurrency() {
        return 1;
    }

    /**
     * {@return the steps of the engine since the last call, in their order, of the clock's time; their requests are given by
     * {@link GenerationRequest#promptNumber}. Empty where the engine cannot be looked into}
     */
    default List<EngineStep> takeSteps() {
        return List.of();
    }

    @Override
    void close();
}
