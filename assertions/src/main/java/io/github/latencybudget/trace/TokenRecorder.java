package io.github.latencybudget.trace;

import java.util.Arrays;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Records the arrivals of one request at a time into memory that was taken beforehand, so that recording a token
 * allocates nothing and costs little more than reading the clock. For one thread.
 *
 * <p>Use: {@link #start}, then {@link #token} per token, then one of the methods that end the request and give its trace.
 * The recorder can then start the next request.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TokenRecorder implements TokenSink {

    private static final int UNKNOWN = -1;

    private final NanoClock clock;
    private long[] arrivalNanos;
    private int tokens;
    private int request;
    private int promptTokens;
    private int requestedOutputTokens;
    private boolean ignoreEos;
    private long startNanos;
    private long sentNanos;
    private boolean isScheduled;
    private int cachedPromptTokens;

    /**
     * @param clock the clock that all arrivals are read from
     * @param expectedTokens the number of output tokens to take memory for; more are recorded too, at the price of an
     *     allocation
     */
    public TokenRecorder(NanoClock clock, int expectedTokens) {
        this.clock = clock;
        this.arrivalNanos = new long[Math.max(1, expectedTokens)];
    }

    /**
     * Starts a request: its {@code t_0} is now.
     *
     * @param request the number of the request within its run, from 0
     * @param promptTokens the length of the prompt that is sent, in tokens, BOS included
     * @param requestedOutputTokens how many output tokens are asked for
     * @param ignoreEos whether exactly that many have to come
     */
    public void start(int request, int promptTokens, int requestedOutputTokens, boolean ignoreEos) {
        reset(request, promptTokens, requestedOutputTokens, ignoreEos);
        this.startNanos = clock.nanos();
    }

    /**
     * Starts a request of an open loop: its {@code t_0} is when it was due, and it is sent now.
     *
     * @param scheduledNanos when it was due, of the recorder's clock
     */
    public void startScheduled(
            int request, int promptTokens, int requestedOutputTokens, boolean ignoreEos, long scheduledNanos) {
        reset(request, promptTokens, requestedOutputTokens, ignoreEos);
        this.startNanos = scheduledNanos;
        this.isScheduled = true;
        this.sentNanos = clock.nanos();
    }

    private void reset(int request, int promptTokens, int requestedOutputTokens, boolean ignoreEos) {
        this.request = request;
        this.promptTokens = promptTokens;
        this.requestedOutputTokens = requestedOutputTokens;
        this.ignoreEos = ignoreEos;
        this.tokens = 0;
        this.isScheduled = false;
        this.cachedPromptTokens = UNKNOWN;
    }

    @Override
    public void cachedPromptTokens(int tokens) {
        if (tokens < 0 || tokens > promptTokens) {
            throw new IllegalArgumentException("cachedPromptTokens = %s: must be from 0 to the %s tokens of the prompt"
                    .formatted(tokens, promptTokens));
        }
        this.cachedPromptTokens = tokens;
    }

    @Override
    public void token() {
        long now = clock.nanos();
        if (tokens == arrivalNanos.length) {
            arrivalNanos = Arrays.copyOf(arrivalNanos, 2 * tokens);
        }
        arrivalNanos[tokens++] = now;
    }

    /**
     * Ends a request whose stream ended without an error.
     *
     * @return its trace: {@link Outcome#EMPTY} without a token, {@link Outcome#TRUNCATED} with fewer tokens than asked for
     *     where end-of-sequence is ignored, else {@link Outcome#COMPLETED}
     */
    public TokenTrace end() {
        if (tokens == 0) {
            return trace(Outcome.EMPTY, "no token came");
        }
        if (ignoreEos && tokens < requestedOutputTokens) {
            return trace(Outcome.TRUNCATED, "%s of %s output tokens came".formatted(tokens, requestedOutputTokens));
        }
        return trace(Outcome.COMPLETED, null);
    }

    /**
     * Ends a request that broke. The arrivals before the break are kept.
     *
     * @param reason what broke, in one sentence; neither a key nor a prompt
     */
    public TokenTrace fail(String reason) {
        return trace(Outcome.FAILED, OneLine.of(reason));
    }

    private TokenTrace trace(Outcome outcome, @Nullable String reason) {
        TokenTrace trace = new TokenTrace(
                request,
                promptTokens,
                requestedOutputTokens,
                startNanos,
                Arrays.copyOf(arrivalNanos, tokens),
                outcome,
                reason);
        TokenTrace sent = isScheduled ? trace.sentAt(sentNanos) : trace;
        return cachedPromptTokens == UNKNOWN ? sent : sent.withCachedPromptTokens(cachedPromptTokens);
    }
}
