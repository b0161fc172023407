package io.github.latencybudget.inference;

import io.github.latencybudget.trace.TokenSink;
import java.util.concurrent.CompletableFuture;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** A request that is ready to run. Its time starts with the call to {@link #run}. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface Generation {

    /** {@return the length of the prompt that will really be sent, in tokens, BOS included; 0 in a conversation that the other side counts} */
    int promptTokens();

    /**
     * {@return done once there is what the request waits for that is no part of its time, such as a connection; never fails, for the
     * request itself tells what could not be had} A closed loop begins the request then. An open loop begins it when it is due, and
     * what is not there by then is waited for within its time. Done at once unless a target says otherwise.
     */
    default CompletableFuture<@Nullable Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Runs the request to its end and tells the sink of every output token once it is known on the host. Runs once.
     *
     * @throws TruncatedOutputException where the stream ended before the output was over, and nothing broke
     * @throws Exception where the request broke; the tokens before are kept, and the message becomes the request's reason
     */
    void run(TokenSink sink) throws Exception;

    /**
     * Begins the request and returns at once: what {@link #run} does, without a thread that waits. Whoever calls it can have
     * thousands in flight. A target that waits for events overrides it; for any other a thread is made.
     *
     * @return done when the request is over, with what {@link #run} would throw as its failure; to cancel it ends the request, and
     *     the sink is then told nothing more
     */
    default CompletableFuture<@Nullable Void> start(TokenSink sink) {
        return OnThread.start(this, sink);
    }

    /**
     * Gives back what was taken for the request, such as the memory for its KV cache, where it will not run after all. Called at most
     * once, and instead of {@link #run} and {@link #start}. Does nothing unless a target has something to give back.
     */
    default void discard() {}
}
