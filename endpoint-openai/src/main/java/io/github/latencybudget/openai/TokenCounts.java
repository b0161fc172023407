package io.github.latencybudget.openai;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;

/**
 * How many tokens each chunk held, by the best source that there is.
 *
 * @param source where the number comes from
 * @param perChunk the tokens of each chunk; 0 for one that only goes on with the token before; empty where that is not known
 * @param total of all chunks
 */
record TokenCounts(TokenSource source, int[] perChunk, int total) {

    static final TokenCounts NONE = new TokenCounts(TokenSource.CHUNKS, new int[0], 0);

    /** Counts at least one chunk. */
    static TokenCounts of(StreamedAnswer.ChunkTimes chunks, OptionalInt usage) {
        int[] ids = perChunk(chunks.count(), chunks::ids);
        if (isUsable(ids)) {
            return new TokenCounts(TokenSource.CHUNK_IDS, ids, sum(ids));
        }
        int[] byUsage = perChunk(chunks.count(), i -> chunks.total(i) < 0 ? -1 : added(chunks, i));
        // A total that the end corrects was not one of the tokens that had come.
        if (isUsable(byUsage) && usage.orElse(-1) == sum(byUsage)) {
            return new TokenCounts(TokenSource.CHUNK_USAGE, byUsage, sum(byUsage));
        }
        if (usage.isPresent() && usage.getAsInt() > 0) {
            return ofTotal(TokenSource.USAGE, chunks.count(), usage.getAsInt());
        }
        return ofTotal(TokenSource.CHUNKS, chunks.count(), chunks.count());
    }

    /** {@return the tokens of chunks of which only their sum is known; with as many tokens as chunks, each held one} */
    static TokenCounts ofTotal(TokenSource source, int chunks, int total) {
        int[] perChunk = new int[total == chunks ? chunks : 0];
        Arrays.fill(perChunk, 1);
        return new TokenCounts(source, perChunk, total);
    }

    /** {@return whether it is known how many tokens each chunk held} */
    boolean isPerChunk() {
        return perChunk.length > 0;
    }

    private static int added(StreamedAnswer.ChunkTimes chunks, int i) {
        return chunks.total(i) - (i == 0 ? 0 : Math.max(0, chunks.total(i - 1)));
    }

    private static int[] perChunk(int count, IntUnaryOperator tokens) {
        int[] perChunk = new int[count];
        Arrays.setAll(perChunk, tokens);
        return perChunk;
    }

    /** The first chunk has to hold a token, and none can take one back. */
    private static boolean isUsable(int[] perChunk) {
        return perChunk[0] > 0 && Arrays.stream(perChunk).allMatch(t -> t >= 0);
    }

    private static int sum(int[] perChunk) {
        return Arrays.stream(perChunk).sum();
    }
}
