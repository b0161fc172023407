package io.github.latencybudget.inference;

import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.ServerMetrics;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * An open target, ready to generate. At most {@link #maxConcurrency} requests at a time are between prepare and end.
 *
 * <p>Where a run is stopped in its middle, {@link #description}, {@link #takeSteps} and {@link #serverMetrics} are called by other
 * threads while requests are in flight. An answer that takes long or fails is left out.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface TargetSession extends AutoCloseable {

    /** {@return what was opened, as verified on the device, not as asked for} */
    TargetDescription description();

    /**
     * Makes everything that a request needs and that is not part of its time: the prompt, the memory for its KV cache. What comes
     * from elsewhere and is waited for, such as a connection, is only asked for here, and {@link Generation#ready} tells when it came.
     *
     * @throws MeasurementException where the request cannot be made, such as a prompt longer than the context
     */
    Generation prepare(GenerationRequest request);

    /**
     * {@return the text of the prompt that {@link #prepare} would send; empty where its prompts are no texts}
     *
     * @throws MeasurementException where the prompt cannot be made
     */
    default Optional<String> promptText(GenerationRequest request) {
        return Optional.empty();
    }

    /**
     * Has the prompts from here on be ones that were not sent before, where the target sees to that. Called where a run begins whose
     * prompts are asked for by {@link #promptText}, and are sent in another run after it: in both, equal numbers have equal prompts.
     */
    default void renewPrompts() {}

    /**
     * Begins a conversation, of one turn or several. A target that is only sent prompts of declared lengths need not know it.
     *
     * @throws MeasurementException where this target has none
     */
    default Conversation converse() {
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "%s makes prompts of declared lengths only: leave the file out, or override TargetSession.converse",
                getClass().getName()));
    }

    /** {@return the memory now in use on the device, in bytes; empty where it cannot be read} */
    OptionalLong deviceMemoryBytes();

    /** {@return the clock that arrivals are read from; a scripted target brings its own} */
    default NanoClock clock() {
        return NanoClock.SYSTEM;
    }

    /** {@return how many requests can be between prepare and end at a time, prepared and run by threads of their own; 1 unless a target can do more} */
    default int maxConcurrency() {
        return 1;
    }

    /**
     * {@return whether {@link Generation#start} begins a request without a thread that waits for it}
     *
     * <p>A load driver then has thousands in flight with a few threads; they are prepared by several at a time. If not, each has a
     * thread of its own.
     */
    default boolean isEventDriven() {
        return false;
    }

    /**
     * {@return the steps of the engine since the last call, in their order, of the clock's time; their requests are given by
     * {@link GenerationRequest#promptNumber}. Empty where the engine cannot be looked into}
     */
    default List<EngineStep> takeSteps() {
        return List.of();
    }

    /**
     * Has the client measure itself, against a server of its own in this process: how exactly it tells arrivals at a rate, and up to
     * which rate. Called between the warm-up and the run, with no request in flight; may take seconds the first time.
     *
     * @param streams how many requests will be in flight at a time
     * @param eventsPerSecond how many chunks of output are expected, all requests together
     * @param mostErrorNanos with how large an error something could still be judged: rates at which it is larger need not be tried
     * @return what was found; empty for a target whose arrivals come over no network, as in process, which needs none
     * @throws MeasurementException where it could not be measured; the run goes on, and its guard says why it was not checked
     */
    default Optional<ClientCalibration> calibrate(int streams, double eventsPerSecond, long mostErrorNanos) {
        return Optional.empty();
    }

    /**
     * {@return what the server behind the target has counted of its own work until now; empty where none is asked}
     *
     * @throws MeasurementException where it could not be read; the run goes on without
     */
    default Optional<ServerMetrics> serverMetrics() {
        return Optional.empty();
    }

    @Override
    void close();
}
