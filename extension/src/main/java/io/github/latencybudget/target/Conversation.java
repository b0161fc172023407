package io.github.latencybudget.target;

import org.apiguardian.api.API;

/** One user's requests: each is sent with what was said and answered before. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Conversation {

    /**
     * Makes the next request. Only after the one before has completed, for its answer is part of it.
     *
     * @return whose {@link Generation#promptTokens} is 0 where only the other side can count them, and then
     *     {@link io.github.latencybudget.trace.TokenSink#promptTokens} is told
     * @throws MeasurementException where the request cannot be made, such as a conversation longer than the context
     */
    Generation prepare(Turn turn);
}
