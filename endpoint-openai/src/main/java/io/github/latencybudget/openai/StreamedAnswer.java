package io.github.latencybudget.openai;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The stream of one request: when each chunk of tokens came, and what the server says of it. A time belongs to the bytes that
 * complete an event.
 */
final class StreamedAnswer implements EventStream.Events {

    /** A token takes some hundred bytes, one with many log probabilities some ten thousand. */
    static final int MOST_EVENT_BYTES = 1 << 20;

    private static final byte[] DONE = {'[', 'D', 'O', 'N', 'E', ']'};

    private final EventStream events = new EventStream(this, MOST_EVENT_BYTES);
    private final ServerTimings timings = new ServerTimings();
    private final OutputText text;
    private final Chunk chunk;
    private final JsonScanner json;
    private final ChunkTimes chunks;
    private long nowNanos;
    private boolean isEventBegun;
    private int doneMatched;
    private boolean isDone;
    private boolean isFinished;
    private long doneNanos;
    private long usageNanos;
    private boolean hasUsage;
    private int completionTokens = Chunk.UNKNOWN;
    private int promptTokens = Chunk.UNKNOWN;
    private int cachedTokens = Chunk.UNKNOWN;
    private int reasoningTokens = Chunk.UNKNOWN;

    /**
     * @param expectedTokens to take memory for
     * @param keepsText whether the text will be asked for
     */
    StreamedAnswer(int expectedTokens, boolean keepsText) {
        this.text = new OutputText(keepsText);
        this.chunk = new Chunk(timings, text);
        this.json = new JsonScanner(chunk);
        this.chunks = new ChunkTimes(expectedTokens);
    }

    /**
     * Takes bytes that were read from the socket.
     *
     * @param atNanos when
     * @throws AnswerFault where they are not what the API promises; what came before is kept
     */
    void feed(byte[] bytes, int from, int to, long atNanos) throws AnswerFault {
        nowNanos = atNanos;
        events.feed(bytes, from, to);
    }

    @Override
    public void data(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        if (!isEventBegun) {
            while (i < to && (bytes[i] == ' ' || bytes[i] == '\n')) {
                i++;
            }
            if (i == to) {
                return;
            }
            isEventBegun = true;
            doneMatched = bytes[i] == DONE[0] ? 0 : Chunk.UNKNOWN;
        }
        if (doneMatched == Chunk.UNKNOWN) {
            json.feed(bytes, i, to);
        } else {
            done(bytes, i, to);
        }
    }

    private void done(byte[] bytes, int from, int to) throws AnswerFault {
        for (int i = from; i < to; i++) {
            if (doneMatched < DONE.length && bytes[i] == DONE[doneMatched]) {
                doneMatched++;
            } else if (doneMatched < DONE.length || bytes[i] > ' ') {
                throw JsonScanner.notJson("it begins with [ and is not [DONE]");
            }
        }
    }

    @Override
    public void end() throws AnswerFault {
        if (!isEventBegun) {
            return;
        }
        isEventBegun = false;
        if (doneMatched != Chunk.UNKNOWN) {
            if (doneMatched < DONE.length) {
                throw JsonScanner.notJson("it begins with [ and is not [DONE]");
            }
            isDone = true;
            doneNanos = nowNanos;
            return;
        }
        json.end();
        json.reset();
        try {
            take();
        } finally {
            chunk.clear();
        }
    }

    private void take() throws AnswerFault {
        if (isDone) {
            throw new AnswerFault("an event came after [DONE]: see what the server sends");
        }
        if (chunk.isError()) {
            throw new AnswerFault(
                    String.format(Locale.ROOT, "the server sent an error inside the stream: %s", chunk.errorText()));
        }
        if (!chunk.hasChoicesOrUsage()) {
            throw new AnswerFault("an event has neither `choices` nor `usage`: is this an OpenAI-compatible API?");
        }
        if (chunk.hasTokens()) {
            chunks.add(nowNanos, chunk.isVisible(), chunk.tokenIds(), chunk.completionTokens());
        }
        if (chunk.completionTokens() != Chunk.UNKNOWN) {
            completionTokens = chunk.completionTokens();
            usageNanos = nowNanos;
            hasUsage = true;
        }
        promptTokens = chunk.promptTokens() == Chunk.UNKNOWN ? promptTokens : chunk.promptTokens();
        cachedTokens = chunk.cachedTokens() == Chunk.UNKNOWN ? cachedTokens : chunk.cachedTokens();
        reasoningTokens = chunk.reasoningTokens() == Chunk.UNKNOWN ? reasoningTokens : chunk.reasoningTokens();
        isFinished |= chunk.isFinished();
    }

    /** {@return whether the server said that the output is over, and not only stopped} */
    boolean isComplete() {
        return isDone || isFinished;
    }

    /** {@return whether a finish reason came} */
    boolean isFinished() {
        return isFinished;
    }

    /** {@return whether nothing more will come} */
    boolean isDone() {
        return isDone;
    }

    /** {@return the chunks of tokens} */
    ChunkTimes chunks() {
        return chunks;
    }

    /** {@return what the server says of its own work} */
    ServerTimings timings() {
        return timings;
    }

    /** {@return the text as the model wrote it; empty where it was not kept} */
    Optional<String> text() {
        return text.asWritten();
    }

    /** {@return the text without the reasoning before it; empty where it was not kept, or cannot be known} */
    Optional<String> said() {
        return text.said();
    }

    /** {@return how many output tokens the server counts in all} */
    OptionalInt completionTokens() {
        return known(completionTokens);
    }

    /** {@return how many prompt tokens the server counts} */
    OptionalInt promptTokens() {
        return known(promptTokens);
    }

    /** {@return how many of them came from its cache} */
    OptionalInt cachedTokens() {
        return known(cachedTokens);
    }

    /** {@return how many of the output tokens were reasoning} */
    OptionalInt reasoningTokens() {
        return known(reasoningTokens);
    }

    /** {@return when the last usage came} */
    OptionalLong usageNanos() {
        return hasUsage ? OptionalLong.of(usageNanos) : OptionalLong.empty();
    }

    /** {@return when {@code [DONE]} came} */
    OptionalLong doneNanos() {
        return isDone ? OptionalLong.of(doneNanos) : OptionalLong.empty();
    }

    private static OptionalInt known(int tokens) {
        return tokens == Chunk.UNKNOWN ? OptionalInt.empty() : OptionalInt.of(tokens);
    }

    /** {@return the tokens of each chunk, as far as they are known} */
    TokenCounts tokens() {
        return chunks.count() == 0 ? TokenCounts.NONE : TokenCounts.of(chunks, completionTokens());
    }

    /** When each chunk of tokens came, and what it says of their number. */
    static final class ChunkTimes {

        private long[] nanos;
        private boolean[] isVisible;
        private int[] ids;
        private int[] totals;
        private int count;

        ChunkTimes(int expected) {
            int length = Math.max(1, expected);
            nanos = new long[length];
            isVisible = new boolean[length];
            ids = new int[length];
            totals = new int[length];
        }

        private void add(long atNanos, boolean visible, int tokenIds, int total) {
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * count);
                isVisible = Arrays.copyOf(isVisible, 2 * count);
                ids = Arrays.copyOf(ids, 2 * count);
                totals = Arrays.copyOf(totals, 2 * count);
            }
            nanos[count] = atNanos;
            isVisible[count] = visible;
            ids[count] = tokenIds;
            totals[count] = total;
            count++;
        }

        int count() {
            return count;
        }

        /** {@return when chunk i came, from 0} */
        long nanos(int i) {
            return nanos[i];
        }

        boolean isVisible(int i) {
            return isVisible[i];
        }

        /** {@return how many token ids chunk i lists; -1 for no list} */
        int ids(int i) {
            return ids[i];
        }

        /** {@return how many tokens there were up to chunk i; -1 where it does not say} */
        int total(int i) {
            return totals[i];
        }

        /** {@return how many chunks came in a read that held another one before them} */
        int coalesced() {
            int coalesced = 0;
            for (int i = 1; i < count; i++) {
                coalesced += nanos[i] == nanos[i - 1] ? 1 : 0;
            }
            return coalesced;
        }
    }
}
