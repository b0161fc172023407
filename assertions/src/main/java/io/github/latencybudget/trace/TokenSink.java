package io.github.latencybudget.trace;

import org.apiguardian.api.API;

/**
 * Takes the output tokens of one request as they arrive. Called by one thread, in the order of arrival.
 *
 * <p>An arrival is the moment at which the token is known on the host: in process, after its id was read back from the
 * device; over a network, when the bytes of its event were read from the socket.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface TokenSink {

    /** One token has arrived now. */
    void token();

    /**
     * The target says how many of the prompt's tokens it took from a prefix cache, before, between or after the output tokens. Not
     * called where it does not say.
     *
     * @param tokens from 0 to the length of the prompt
     */
    default void cachedPromptTokens(int tokens) {}
}
