package io.github.latencybudget.trace;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * One step of an engine that runs in this process: it takes the prompts of some requests, or gives the next token of some. Where
 * several requests are in flight, the steps show who shared the engine with whom: a gap between two tokens of one request that
 * spans a prefill of another is no property of the model.
 *
 * @param kind what the step did
 * @param startNanos when the host began it; when the step before ended, where it was begun ahead
 * @param endNanos when its last token was known on the host
 * @param deviceNanos how long the device worked on it, by CUDA events; empty where there is no CUDA device
 * @param requests the requests that took part, by their numbers
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record EngineStep(Kind kind, long startNanos, long endNanos, OptionalLong deviceNanos, List<Integer> requests) {

    /** What a step does. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Kind {
        /** Takes whole prompts and gives the first token of each. */
        PREFILL,
        /** Takes the latest token of every request in the batch and gives the next of each. */
        DECODE
    }

    /** @throws IllegalArgumentException for a step that ends before it starts, or in which nobody took part */
    public EngineStep {
        requests = List.copyOf(requests);
        if (endNanos < startNanos || requests.isEmpty() || deviceNanos.orElse(0) < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "a step from %s to %s ns, %s ns of them on the device, of requests %s",
                    startNanos,
                    endNanos,
                    deviceNanos,
                    requests));
        }
    }
}
