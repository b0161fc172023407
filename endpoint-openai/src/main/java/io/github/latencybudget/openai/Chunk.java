package io.github.latencybudget.openai;

import java.nio.charset.StandardCharsets;

/** What one event says. One of these serves a whole stream, so that an event allocates nothing. */
final class Chunk implements JsonScanner.Values {

    static final int UNKNOWN = -1;

    /** Of what is kept of an error. */
    private static final int MOST_BYTES = 2000;

    /** No model has more, and a count is an int. */
    private static final double MOST_TOKENS = 1e9;

    private final ServerTimings timings;
    private final OutputText text;
    private final byte[] word = new byte[MOST_BYTES];
    private int wordLength;
    private boolean hasText;
    private boolean hasReasoning;
    private boolean hasToolCall;
    private boolean hasChoices;
    private boolean isFinished;
    private boolean isErrorFinish;
    private boolean hasError;
    private String error = "";
    private String message = "";
    private String errorCode = "";
    private int tokenIds;
    private int completionTokens;
    private int promptTokens;
    private int cachedTokens;
    private int reasoningTokens;

    /** @param text where the text goes */
    Chunk(ServerTimings timings, OutputText text) {
        this.timings = timings;
        this.text = text;
        clear();
    }

    void clear() {
        hasText = false;
        hasReasoning = false;
        hasToolCall = false;
        hasChoices = false;
        isFinished = false;
        isErrorFinish = false;
        hasError = false;
        error = "";
        message = "";
        errorCode = "";
        tokenIds = UNKNOWN;
        completionTokens = UNKNOWN;
        promptTokens = UNKNOWN;
        cachedTokens = UNKNOWN;
        reasoningTokens = UNKNOWN;
        wordLength = 0;
    }

    @Override
    public void text(Field field, byte[] bytes, int from, int to) {
        switch (field) {
            case CONTENT -> {
                hasText = true;
                text.add(bytes, from, to);
            }
            case REASONING -> {
                hasReasoning = true;
                text.addReasoning(bytes, from, to);
            }
            case TOOL_CALL -> {
                hasToolCall = true;
                text.addUncountable();
            }
            case FINISH_REASON, ERROR, ERROR_CODE, MESSAGE -> {
                int length = Math.min(to - from, MOST_BYTES - wordLength);
                System.arraycopy(bytes, from, word, wordLength, length);
                wordLength += length;
            }
            default -> {}
        }
    }

    @Override
    public void textEnd(Field field) {
        switch (field) {
            case FINISH_REASON -> {
                isFinished = true;
                isErrorFinish = wordIs("error");
            }
            case ERROR -> {
                hasError = true;
                error = word();
            }
            case ERROR_CODE -> errorCode = word();
            case MESSAGE -> message = word();
            default -> {}
        }
        wordLength = 0;
    }

    private boolean wordIs(String expected) {
        return wordLength == expected.length() && word().equals(expected);
    }

    private String word() {
        return new String(word, 0, wordLength, StandardCharsets.UTF_8);
    }

    @Override
    public void number(Field field, double value) {
        switch (field) {
            case TOKEN_ID -> tokenIds++;
            case COMPLETION_TOKENS -> completionTokens = tokens(value);
            case PROMPT_TOKENS -> promptTokens = tokens(value);
            case CACHED_TOKENS -> cachedTokens = tokens(value);
            case REASONING_TOKENS -> reasoningTokens = tokens(value);
            case ERROR_CODE -> errorCode = String.valueOf((long) value);
            default -> timings.number(field, value);
        }
    }

    private static int tokens(double value) {
        return value >= 0 && value <= MOST_TOKENS && value == Math.rint(value) ? (int) value : UNKNOWN;
    }

    @Override
    public void structure(Field field) {
        switch (field) {
            case CHOICES -> hasChoices = true;
            case ERROR -> hasError = true;
            case TOKEN_IDS -> tokenIds = Math.max(0, tokenIds);
            default -> {}
        }
    }

    /** {@return whether a token is in it} */
    boolean hasTokens() {
        return hasText || hasReasoning || hasToolCall || tokenIds > 0;
    }

    /** {@return whether something of the visible answer is in it} */
    boolean isVisible() {
        return hasText || hasToolCall;
    }

    /** {@return whether the server says here that the output is over} */
    boolean isFinished() {
        return isFinished;
    }

    /** {@return whether it has what every event has, an error aside} */
    boolean hasChoicesOrUsage() {
        return hasChoices || completionTokens != UNKNOWN || promptTokens != UNKNOWN;
    }

    /** {@return whether it is an error in place of tokens} */
    boolean isError() {
        return hasError || isErrorFinish || (!hasChoicesOrUsage() && !message.isEmpty());
    }

    /** {@return what the server says went wrong} */
    String errorText() {
        String said = error.isEmpty() ? message : error;
        if (said.isEmpty()) {
            said = isErrorFinish && !hasError ? "finish_reason: error" : "an error without a message";
        }
        return errorCode.isEmpty() ? said : said + " (code " + errorCode + ")";
    }

    /** {@return how many token ids it lists; -1 for no list} */
    int tokenIds() {
        return tokenIds;
    }

    /** {@return {@code usage.completion_tokens}; -1 where it is absent} */
    int completionTokens() {
        return completionTokens;
    }

    /** {@return {@code usage.prompt_tokens}; -1 where it is absent} */
    int promptTokens() {
        return promptTokens;
    }

    /** {@return how many tokens of the prompt were cached; -1 where it is absent} */
    int cachedTokens() {
        return cachedTokens;
    }

    /** {@return {@code usage.completion_tokens_details.reasoning_tokens}; -1 where it is absent} */
    int reasoningTokens() {
        return reasoningTokens;
    }
}
