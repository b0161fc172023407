package io.github.latencybudget.target;

import io.github.latencybudget.trace.TokenSink;
import org.apiguardian.api.API;

/** A request that is ready to run. Its time starts with the call to {@link #run}. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Generation {

    /** {@return the length of the prompt that will really be sent, in tokens, BOS included} */
    int promptTokens();

    /**
     * Runs the request to its end and tells the sink of every output token once it is known on the host. Runs once.
     *
     * @throws Exception where the request broke; the tokens before are kept, and the message becomes the request's reason
     */
    void run(TokenSink sink) throws Exception;
}
