package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.TokenSink;

/**
 * A turn of a conversation that has outgrown the context. It fails, as a server refuses it, and the run goes on with others: how
 * long a conversation becomes is known only as it goes on.
 *
 * @param promptTokens the length of the conversation so far
 * @param reason what it exceeds
 */
record TooLong(int promptTokens, String reason) implements Generation {

    @Override
    public void run(TokenSink sink) {
        throw new MeasurementException(reason);
    }
}
