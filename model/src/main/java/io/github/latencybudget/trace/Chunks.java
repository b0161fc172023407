package io.github.latencybudget.trace;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The chunks in which the output of a request arrived, such as the events of a stream: when each came, and how many tokens it held
 * where that is known. In process each token is a chunk of its own.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Chunks {

    private final long[] arrivalNanos;
    /** Null where each holds one token, or where nothing is known but their sum. */
    private final int @Nullable [] tokens;

    private final int allTokens;
    private final int firstVisible;
    private final boolean isWhole;

    private Chunks(long[] arrivalNanos, int @Nullable [] tokens, int allTokens, int firstVisible, boolean isWhole) {
        this.arrivalNanos = arrivalNanos;
        this.tokens = tokens;
        this.allTokens = allTokens;
        this.firstVisible = firstVisible;
        this.isWhole = isWhole;
    }

    /** {@return chunks of one token each, all of the visible answer} */
    public static Chunks ofOneToken(long... arrivalNanos) {
        return new Chunks(arrivalNanos.clone(), null, arrivalNanos.length, 1, false);
    }

    /**
     * {@return chunks of so many tokens each, all of the visible answer}
     *
     * @throws IllegalArgumentException where the two differ in length, or a chunk holds no token
     */
    public static Chunks of(long[] arrivalNanos, int[] tokens) {
        if (arrivalNanos.length != tokens.length || Arrays.stream(tokens).anyMatch(t -> t < 1)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%s chunks arrived, and %s tokens in them are given; each chunk holds at least one",
                    arrivalNanos.length,
                    Arrays.toString(tokens)));
        }
        boolean isOneEach = Arrays.stream(tokens).allMatch(t -> t == 1);
        return new Chunks(
                arrivalNanos.clone(),
                isOneEach ? null : tokens.clone(),
                Math.toIntExact(Arrays.stream(tokens).asLongStream().sum()),
                1,
                false);
    }

    /**
     * {@return chunks of which only is known how many tokens they held together, all of the visible answer; with as many tokens as
     * chunks, each held one}
     *
     * @throws IllegalArgumentException for tokens without a chunk, or chunks without a token
     */
    public static Chunks ofUnknownSizes(long[] arrivalNanos, int allTokens) {
        if (allTokens < 1 || arrivalNanos.length == 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s chunks with %s tokens together", arrivalNanos.length, allTokens));
        }
        return new Chunks(arrivalNanos.clone(), null, allTokens, 1, false);
    }

    /**
     * {@return an answer that was not streamed: one chunk, which says when the last token was there, and of the others nothing}
     *
     * @param arrivalNanos when all of it had come
     * @param tokens how many there are
     * @throws IllegalArgumentException without a token
     */
    public static Chunks whole(long arrivalNanos, int tokens) {
        Chunks one = of(new long[] {arrivalNanos}, new int[] {tokens});
        return new Chunks(one.arrivalNanos, one.tokens, one.allTokens, 1, true);
    }

    /**
     * {@return the same chunks, of which the first ones are reasoning}
     *
     * @param firstVisible the first chunk of the visible answer, from 1; 0 where there is none
     * @throws IllegalArgumentException outside 0 to {@link #count()}
     */
    public Chunks visibleFrom(int firstVisible) {
        if (firstVisible < 0 || firstVisible > count()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the first visible chunk is %s of %s: must be one of them, or 0 for none",
                    firstVisible,
                    count()));
        }
        return new Chunks(arrivalNanos, tokens, allTokens, firstVisible, isWhole);
    }

    /** {@return whether the answer was not streamed, so that only when its last token was there is known} */
    public boolean isWhole() {
        return isWhole;
    }

    /** {@return how many chunks came} */
    public int count() {
        return arrivalNanos.length;
    }

    /**
     * {@return when a chunk arrived, in nanoseconds}
     *
     * @param chunk from 1 to {@link #count()}
     * @throws ArrayIndexOutOfBoundsException for any other
     */
    public long arrivalNanos(int chunk) {
        return arrivalNanos[chunk - 1];
    }

    /** {@return how many tokens they held together} */
    public int tokens() {
        return allTokens;
    }

    /** {@return whether it is known how many tokens each chunk held} */
    public boolean areTokensKnown() {
        return tokens != null || allTokens == count();
    }

    /**
     * {@return how many tokens a chunk held}
     *
     * @param chunk from 1 to {@link #count()}
     * @throws IllegalStateException where that is not known
     */
    public int tokensOf(int chunk) {
        if (!areTokensKnown()) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT, "it is not known which of %s chunks held how many of %s tokens", count(), allTokens));
        }
        return tokens == null ? 1 : tokens[chunk - 1];
    }

    /** {@return whether each chunk held one token} */
    public boolean isOneTokenEach() {
        return tokens == null && allTokens == count();
    }

    /** {@return the first chunk of the visible answer, from 1; empty where none came} */
    public OptionalInt firstVisible() {
        return firstVisible == 0 || count() == 0 ? OptionalInt.empty() : OptionalInt.of(firstVisible);
    }

    /** When a token arrived: with its chunk. */
    long tokenNanos(int token) {
        if (isOneTokenEach()) {
            return arrivalNanos[token - 1];
        }
        if (token == 1 || token == allTokens) {
            return arrivalNanos[token == 1 ? 0 : arrivalNanos.length - 1];
        }
        int chunk = 1;
        int upTo = tokensOf(1);
        while (upTo < token) {
            chunk++;
            upTo += tokensOf(chunk);
        }
        return arrivalNanos[chunk - 1];
    }
}
