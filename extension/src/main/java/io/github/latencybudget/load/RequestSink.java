package io.github.latencybudget.load;

import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenSink;

/**
 * The tokens of one request. The recorder behind it goes on to the next one, whose first token would come at once if a token that
 * is told too late were taken for it.
 */
final class RequestSink implements TokenSink {

    private final TokenRecorder recorder;
    private volatile boolean isOver;

    RequestSink(TokenRecorder recorder) {
        this.recorder = recorder;
    }

    @Override
    public void token() {
        requireInTime();
        recorder.token();
    }

    @Override
    public void chunk(int tokens) {
        requireInTime();
        recorder.chunk(tokens);
    }

    @Override
    public void reasoning(int tokens) {
        requireInTime();
        recorder.reasoning(tokens);
    }

    @Override
    public void allTokens(int tokens) {
        requireInTime();
        recorder.allTokens(tokens);
    }

    private void requireInTime() {
        if (isOver) {
            throw new IllegalStateException(
                    "a token came after its request had ended: Generation.run returns once the last one was told");
        }
    }

    void end() {
        isOver = true;
    }
}
