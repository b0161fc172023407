package io.github.latencybudget.trace;

import java.util.Objects;
import java.util.Optional;
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
            throw new IllegalArgumentException(
                    "request %s, promptTokens %s and requestedOutputTokens %s must not be negative"
                            .formatted(request, promptTokens, requestedOutputTokens));
        }
        Objects.requireNonNull(outcome, "outcome");
        if ((outcome == Outcome.COMPLETED) != (reason == null)) {
            throw new IllegalArgumentException(
                    "a request that is %s %s a reason".formatted(outcome, reason == null ? "needs" : "has not"));
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
        return "request %s: %s prompt tokens, %s of %s output tokens, %s%s"
                .formatted(
                        request,
                        promptTokens,
                        outputTokens(),
                        requestedOutputTokens,
                        outcome,
                        reason == null ? "" : " (" + reason + ")");
    }
}
