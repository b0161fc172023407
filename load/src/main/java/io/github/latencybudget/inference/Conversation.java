package io.github.latencybudget.inference;

import org.apiguardian.api.API;

/** One user's requests: each is sent with what was said and answered before. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Conversation {

    /**
     * Makes the next request. Only after the one before has completed, for its answer is part of it.
     *
     * <p>Where this conversation cannot go on, such as one that is longer than the context by now, the request's {@link Generation#run}
     * throws: it is a failed one, and the run goes on with other conversations.
     *
     * @return whose {@link Generation#promptTokens} is 0 where only the other side can count them, and then
     *     {@link io.github.latencybudget.trace.TokenSink#promptTokens} is told
     * @throws MeasurementException where no request can be made any more, which ends the run
     */
    Generation prepare(Turn turn);
}
