package io.github.latencybudget.openai;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.trace.TokenSink;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request that cannot be sent, such as one that found no connection. It fails as one that breaks later does, and the run goes on:
 * how many fail is what a run against a server that went away shows.
 *
 * @param promptTokens the length of its prompt; 0 where the server would count it
 * @param reason why it cannot
 */
record Unsent(int promptTokens, String reason) implements Generation {

    @Override
    public void run(TokenSink sink) throws RequestFailure {
        throw new RequestFailure(reason);
    }

    @Override
    public CompletableFuture<@Nullable Void> start(TokenSink sink) {
        return CompletableFuture.failedFuture(new RequestFailure(reason));
    }
}
