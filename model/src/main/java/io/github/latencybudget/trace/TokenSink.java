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

    /** One token of the visible answer has arrived now, in a chunk of its own. */
    void token();

    /**
     * Several tokens of the visible answer have arrived now, in one chunk.
     *
     * @param tokens at least 1
     */
    default void chunk(int tokens) {
        for (int i = 0; i < tokens; i++) {
            token();
        }
    }

    /**
     * Tokens of a reasoning part have arrived now, in one chunk. They count as all others do, and come before the answer.
     *
     * @param tokens at least 1
     */
    default void reasoning(int tokens) {
        chunk(tokens);
    }

    /**
     * How many tokens came in all, where whoever generated them counts them otherwise than the chunks say. It is then not known
     * which chunk held how many.
     *
     * @param tokens at least 1
     */
    default void allTokens(int tokens) {}

    /**
     * The target says how many of the prompt's tokens it took from a prefix cache, before, between or after the output tokens. Not
     * called where it does not say.
     *
     * @param tokens from 0 to the length of the prompt
     */
    default void cachedPromptTokens(int tokens) {}

    /**
     * The target says how long the prompt is that was sent, where {@link #cachedPromptTokens} has not been told yet. For a prompt
     * that is given as a text, and that only the other side can count.
     *
     * @param tokens in tokens of the model's own tokenizer, BOS included, at least 1
     */
    default void promptTokens(int tokens) {}

    /**
     * Tokens have arrived a while ago, in one chunk. For whoever notes the time first and counts the tokens later.
     *
     * @param arrivalNanos when, of the clock of the target's session
     * @param tokens at least 1
     * @param isReasoning whether they are of a reasoning part, and not of the visible answer
     */
    default void arrived(long arrivalNanos, int tokens, boolean isReasoning) {
        if (isReasoning) {
            reasoning(tokens);
        } else {
            chunk(tokens);
        }
    }

    /**
     * All of an answer that was not streamed has arrived, a while ago. When its first token was there is not known, and never taken
     * for this time.
     *
     * @param arrivalNanos when, of the clock of the target's session
     * @param tokens at least 1
     * @throws UnsupportedOperationException where this sink takes streams alone
     */
    default void whole(long arrivalNanos, int tokens) {
        throw new UnsupportedOperationException("an answer that was not streamed, and this sink takes streams");
    }

    /**
     * The last byte of a request that goes over a network was handed to the socket a while ago: in a closed loop its {@code t_0}. Told
     * before any token, and not where it is not known.
     *
     * @param nanos when, of the clock of the target's session
     */
    default void sent(long nanos) {}

    /** What else is known of a request that went over a network. */
    default void exchange(Exchange exchange) {}
}
