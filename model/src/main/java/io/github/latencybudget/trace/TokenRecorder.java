package io.github.latencybudget.trace;

import java.util.Arrays;
import java.util.Locale;
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
    private int[] tokensOf;
    private int chunks;
    private int tokens;
    private int allTokens;
    private int firstVisible;
    private boolean isWhole;
    private int request;
    private int promptTokens;
    private int requestedOutputTokens;
    private boolean ignoreEos;
    private long startNanos;
    private long sentNanos;
    private boolean isScheduled;
    private int cachedPromptTokens;
    private @Nullable Exchange exchange;

    /**
     * @param clock the clock that all arrivals are read from
     * @param expectedTokens the number of output tokens to take memory for; more are recorded too, at the price of an
     *     allocation
     */
    public TokenRecorder(NanoClock clock, int expectedTokens) {
        this.clock = clock;
        this.arrivalNanos = new long[Math.max(1, expectedTokens)];
        this.tokensOf = new int[arrivalNanos.length];
    }

    /**
     * Starts a request: its {@code t_0} is now, unless it is {@linkplain #sent sent} later.
     *
     * @param request the number of the request within its run, from 0
     * @param promptTokens the length of the prompt that is sent, in tokens, BOS included; 0 where it is told later
     * @param requestedOutputTokens how many output tokens are asked for
     * @param ignoreEos whether exactly that many have to come
     */
    public void start(int request, int promptTokens, int requestedOutputTokens, boolean ignoreEos) {
        reset(request, promptTokens, requestedOutputTokens, ignoreEos);
        this.startNanos = clock.nanos();
    }

    /**
     * Starts a request of an open loop: its {@code t_0} is when it was due, and it is sent now, unless it is told
     * {@linkplain #sent otherwise}.
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
        this.chunks = 0;
        this.tokens = 0;
        this.allTokens = 0;
        this.firstVisible = 0;
        this.isWhole = false;
        this.isScheduled = false;
        this.cachedPromptTokens = UNKNOWN;
        this.exchange = null;
    }

    @Override
    public void cachedPromptTokens(int tokens) {
        if (tokens < 0 || tokens > promptTokens) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "cachedPromptTokens = %s: must be from 0 to the %s tokens of the prompt",
                    tokens,
                    promptTokens));
        }
        this.cachedPromptTokens = tokens;
    }

    @Override
    public void promptTokens(int tokens) {
        requireTokens(tokens);
        this.promptTokens = tokens;
    }

    @Override
    public void token() {
        long now = clock.nanos();
        arrived(now, 1);
        visible();
    }

    @Override
    public void chunk(int tokens) {
        long now = clock.nanos();
        arrived(now, tokens);
        visible();
    }

    @Override
    public void reasoning(int tokens) {
        long now = clock.nanos();
        arrived(now, tokens);
    }

    @Override
    public void allTokens(int tokens) {
        requireTokens(tokens);
        allTokens = tokens;
    }

    @Override
    public void arrived(long nanos, int tokensThen, boolean isReasoning) {
        arrived(nanos, tokensThen);
        if (!isReasoning) {
            visible();
        }
    }

    @Override
    public void whole(long nanos, int tokensThen) {
        arrived(nanos, tokensThen);
        visible();
        isWhole = true;
    }

    @Override
    public void sent(long nanos) {
        if (isScheduled) {
            sentNanos = nanos;
        } else {
            startNanos = nanos;
        }
    }

    @Override
    public void exchange(Exchange known) {
        this.exchange = known;
    }

    private void arrived(long now, int tokensNow) {
        requireTokens(tokensNow);
        if (chunks == arrivalNanos.length) {
            arrivalNanos = Arrays.copyOf(arrivalNanos, 2 * chunks);
            tokensOf = Arrays.copyOf(tokensOf, 2 * chunks);
        }
        arrivalNanos[chunks] = now;
        tokensOf[chunks] = tokensNow;
        chunks++;
        tokens += tokensNow;
    }

    private static void requireTokens(int tokens) {
        if (tokens < 1) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "tokens = %s: must be at least 1", tokens));
        }
    }

    private void visible() {
        if (firstVisible == 0) {
            firstVisible = chunks;
        }
    }

    /**
     * Ends a request whose stream ended without an error.
     *
     * @return its trace: {@link Outcome#EMPTY} without a token, {@link Outcome#TRUNCATED} with fewer tokens than asked for
     *     where end-of-sequence is ignored, else {@link Outcome#COMPLETED}
     */
    public TokenTrace end() {
        if (chunks == 0) {
            return trace(Outcome.EMPTY, "no token came");
        }
        int came = allTokens > 0 ? allTokens : tokens;
        if (ignoreEos && came < requestedOutputTokens) {
            return trace(
                    Outcome.TRUNCATED,
                    String.format(Locale.ROOT, "%s of %s output tokens came", came, requestedOutputTokens));
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

    /**
     * Ends a request whose stream ended before the output was over. The arrivals before that are kept.
     *
     * @param reason how it ended, in one sentence; neither a key nor a prompt
     */
    public TokenTrace truncated(String reason) {
        return chunks == 0 ? trace(Outcome.EMPTY, OneLine.of(reason)) : trace(Outcome.TRUNCATED, OneLine.of(reason));
    }

    private TokenTrace trace(Outcome outcome, @Nullable String reason) {
        TokenTrace trace = new TokenTrace(
                request,
                promptTokens,
                requestedOutputTokens,
                startNanos,
                chunks().visibleFrom(firstVisible),
                outcome,
                reason);
        TokenTrace sent = isScheduled ? trace.sentAt(sentNanos) : trace;
        TokenTrace cached = cachedPromptTokens == UNKNOWN ? sent : sent.withCachedPromptTokens(cachedPromptTokens);
        return exchange == null ? cached : cached.withExchange(exchange);
    }

    private Chunks chunks() {
        if (isWhole) {
            return Chunks.whole(arrivalNanos[chunks - 1], tokens);
        }
        long[] arrivals = Arrays.copyOf(arrivalNanos, chunks);
        return chunks == 0 || allTokens == 0 || allTokens == tokens
                ? Chunks.of(arrivals, Arrays.copyOf(tokensOf, chunks))
                : Chunks.ofUnknownSizes(arrivals, allTokens);
    }
}
