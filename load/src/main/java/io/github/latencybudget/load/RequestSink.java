package io.github.latencybudget.load;

import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenSink;
import java.util.Locale;

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
        refuseIfOver("a token");
        recorder.token();
    }

    @Override
    public void chunk(int tokens) {
        refuseIfOver("a token");
        recorder.chunk(tokens);
    }

    @Override
    public void reasoning(int tokens) {
        refuseIfOver("a token");
        recorder.reasoning(tokens);
    }

    @Override
    public void allTokens(int tokens) {
        refuseIfOver("a token");
        recorder.allTokens(tokens);
    }

    @Override
    public void promptTokens(int tokens) {
        refuseIfOver("the length of the prompt");
        recorder.promptTokens(tokens);
    }

    @Override
    public void cachedPromptTokens(int tokens) {
        refuseIfOver("the number of cached prompt tokens");
        recorder.cachedPromptTokens(tokens);
    }

    @Override
    public void arrived(long arrivalNanos, int tokens, boolean isReasoning) {
        refuseIfOver("a token");
        recorder.arrived(arrivalNanos, tokens, isReasoning);
    }

    @Override
    public void whole(long arrivalNanos, int tokens) {
        refuseIfOver("a token");
        recorder.whole(arrivalNanos, tokens);
    }

    @Override
    public void sent(long nanos) {
        refuseIfOver("when it was sent");
        recorder.sent(nanos);
    }

    @Override
    public void exchange(Exchange exchange) {
        refuseIfOver("what the network took");
        recorder.exchange(exchange);
    }

    private void refuseIfOver(String what) {
        if (isOver) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "%s came after its request had ended: Generation.run returns once the last one was told",
                    what));
        }
    }

    void end() {
        isOver = true;
    }
}
