package io.github.latencybudget.trace;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The raw times of one request: when it started and when each of its output tokens arrived, in nanoseconds of one monotonic
 * clock. Everything else is derived. Holds no text and no token ids.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TokenTrace {

    private final int request;
    private final int promptTokens;
    private final int requestedOutputTokens;
    private final long startNanos;
    private final Chunks chunks;
    private final Outcome outcome;
    private final @Nullable String reason;
    private final OptionalLong sentNanos;
    private final OptionalLong endNanos;
    private final OptionalInt cachedPromptTokens;
    private final @Nullable Exchange exchange;

    /**
     * @param request the number of the request within its run, from 0
     * @param promptTokens the length of the prompt that was sent, in tokens of the model's own tokenizer, BOS included
     * @param requestedOutputTokens how many output tokens were asked for
     * @param startNanos {@code t_0}
     * @param arrivalNanos {@code t_1 ... t_N}; copied
     * @param outcome how the request ended
     * @param reason why it did not complete; null exactly where it did
     * @throws IllegalArgumentException where a count is negative, or outcome and reason do not fit each other
     */
    public TokenTrace(
            int request,
            int promptTokens,
            int requestedOutputTokens,
            long startNanos,
            long[] arrivalNanos,
            Outcome outcome,
            @Nullable String reason) {
        this(
                request,
                promptTokens,
                requestedOutputTokens,
                startNanos,
                Chunks.ofOneToken(arrivalNanos),
                outcome,
                reason);
    }

    /**
     * @param request the number of the request within its run, from 0
     * @param promptTokens the length of the prompt that was sent, in tokens of the model's own tokenizer, BOS included
     * @param requestedOutputTokens how many output tokens were asked for
     * @param startNanos {@code t_0}
     * @param chunks what came
     * @param outcome how the request ended
     * @param reason why it did not complete; null exactly where it did
     * @throws IllegalArgumentException where a count is negative, or outcome and reason do not fit each other
     */
    public TokenTrace(
            int request,
            int promptTokens,
            int requestedOutputTokens,
            long startNanos,
            Chunks chunks,
            Outcome outcome,
            @Nullable String reason) {
        if (request < 0 || promptTokens < 0 || requestedOutputTokens < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "request %s, promptTokens %s and requestedOutputTokens %s must not be negative",
                    request,
                    promptTokens,
                    requestedOutputTokens));
        }
        Objects.requireNonNull(outcome, "outcome");
        if ((outcome == Outcome.COMPLETED) != (reason == null)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "a request that is %s %s a reason", outcome, reason == null ? "needs" : "has not"));
        }
        if (outcome == Outcome.COMPLETED && chunks.count() == 0) {
            throw new IllegalArgumentException("a request without a token is EMPTY, not COMPLETED");
        }
        if (outcome == Outcome.EMPTY && chunks.count() > 0) {
            throw new IllegalArgumentException("a request with a token is not EMPTY");
        }
        this.request = request;
        this.promptTokens = promptTokens;
        this.requestedOutputTokens = requestedOutputTokens;
        this.startNanos = startNanos;
        this.chunks = chunks;
        this.outcome = outcome;
        this.reason = reason;
        this.sentNanos = OptionalLong.empty();
        this.endNanos = OptionalLong.empty();
        this.cachedPromptTokens = OptionalInt.empty();
        this.exchange = null;
    }

    private TokenTrace(
            TokenTrace of,
            OptionalLong sentNanos,
            OptionalLong endNanos,
            OptionalInt cachedPromptTokens,
            @Nullable Exchange exchange) {
        this.request = of.request;
        this.promptTokens = of.promptTokens;
        this.requestedOutputTokens = of.requestedOutputTokens;
        this.startNanos = of.startNanos;
        this.chunks = of.chunks;
        this.outcome = of.outcome;
        this.reason = of.reason;
        this.sentNanos = sentNanos;
        this.endNanos = endNanos;
        this.cachedPromptTokens = cachedPromptTokens;
        this.exchange = exchange;
    }

    /**
     * {@return the same request of an open loop, in which {@code t_0} is when it was due}
     *
     * @param sentNanos when it was sent, of the same clock
     */
    public TokenTrace sentAt(long sentNanos) {
        return new TokenTrace(this, OptionalLong.of(sentNanos), endNanos, cachedPromptTokens, exchange);
    }

    /**
     * {@return the same request, of which it is known when it was over, however it ended}
     *
     * @param endNanos when whoever sent it knew that it was over, of the same clock
     */
    public TokenTrace endedAt(long endNanos) {
        return new TokenTrace(this, sentNanos, OptionalLong.of(endNanos), cachedPromptTokens, exchange);
    }

    /**
     * {@return the same request, of which it is known how much of its prompt came from a prefix cache}
     *
     * @throws IllegalArgumentException below 0 or above the length of the prompt
     */
    public TokenTrace withCachedPromptTokens(int tokens) {
        if (tokens < 0 || tokens > promptTokens) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "cachedPromptTokens = %s: must be from 0 to the %s tokens of the prompt",
                    tokens,
                    promptTokens));
        }
        return new TokenTrace(this, sentNanos, endNanos, OptionalInt.of(tokens), exchange);
    }

    /** {@return the same request, with what else is known of it} */
    public TokenTrace withExchange(Exchange known) {
        return new TokenTrace(this, sentNanos, endNanos, cachedPromptTokens, known);
    }

    /** {@return what else is known of a request that went over a network; empty for one in process} */
    public Optional<Exchange> exchange() {
        return Optional.ofNullable(exchange);
    }

    /** {@return the number of the request within its run, from 0} */
    public int request() {
        return request;
    }

    /** {@return the length of the prompt that was sent, in tokens, BOS included} */
    public int promptTokens() {
        return promptTokens;
    }

    /** {@return how many output tokens were asked for} */
    public int requestedOutputTokens() {
        return requestedOutputTokens;
    }

    /** {@return {@code t_0}, in nanoseconds} */
    public long startNanos() {
        return startNanos;
    }

    /** {@return when the request was sent, in nanoseconds, where {@code t_0} is when it was due; empty in a closed loop} */
    public OptionalLong sentNanos() {
        return sentNanos;
    }

    /**
     * {@return when the client began to send the request, in nanoseconds: from then on it has a place among those in flight, be it that
     * its connection is still waited for; empty in a closed loop}
     */
    public OptionalLong begunNanos() {
        Long sendNanos = exchange == null ? null : exchange.sendNanos();
        return sentNanos.isPresent() && sendNanos != null
                ? OptionalLong.of(sentNanos.getAsLong() - sendNanos)
                : sentNanos;
    }

    /** {@return how long after it was due the request was sent, in nanoseconds; empty in a closed loop} */
    public OptionalLong scheduleDelayNanos() {
        return sentNanos.isPresent() ? OptionalLong.of(sentNanos.getAsLong() - startNanos) : OptionalLong.empty();
    }

    /** {@return when whoever sent the request knew that it was over, in nanoseconds; empty where nobody noted it} */
    public OptionalLong endNanos() {
        return endNanos;
    }

    /** {@return how many tokens of the prompt came from a prefix cache; empty where the target does not say} */
    public OptionalInt cachedPromptTokens() {
        return cachedPromptTokens;
    }

    /** {@return {@code N}, the number of output tokens that came} */
    public int outputTokens() {
        return chunks.tokens();
    }

    /** {@return the chunks in which the tokens came, each of one token unless the target knows better} */
    public Chunks chunks() {
        return chunks;
    }

    /**
     * {@return {@code t_i} in nanoseconds, for {@code i} from 1 to {@link #outputTokens()}}
     *
     * @throws ArrayIndexOutOfBoundsException for any other {@code i}
     * @throws IllegalStateException where it is not known which chunk held the token; of the first and the last it always is
     */
    public long arrivalNanos(int i) {
        if (i < 1 || i > outputTokens()) {
            throw new ArrayIndexOutOfBoundsException(i);
        }
        return chunks.tokenNanos(i);
    }

    /** {@return how the request ended} */
    public Outcome outcome() {
        return outcome;
    }

    /** {@return why the request did not complete; empty where it did} */
    public Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "request %s: %s prompt tokens, %s of %s output tokens, %s%s",
                request,
                promptTokens,
                outputTokens(),
                requestedOutputTokens,
                outcome,
                reason == null ? "" : " (" + reason + ")");
    }
}
