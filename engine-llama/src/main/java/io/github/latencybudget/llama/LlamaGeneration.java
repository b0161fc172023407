package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.trace.TokenSink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/** A request that is ready, once. */
final class LlamaGeneration implements Generation {

    private final LlamaSession session;
    private final Sequence sequence;
    private final long number;
    private final LongConsumer token;
    private final AtomicBoolean ran = new AtomicBoolean();

    /** @param token takes the id of each output token, after its arrival was told */
    LlamaGeneration(LlamaSession session, Sequence sequence, long number, LongConsumer token) {
        this.session = session;
        this.sequence = sequence;
        this.number = number;
        this.token = token;
    }

    @Override
    public int promptTokens() {
        return sequence.promptTokens();
    }

    @Override
    public void run(TokenSink sink) throws InterruptedException {
        if (ran.getAndSet(true)) {
            throw new IllegalStateException("a generation runs once: prepare the request again");
        }
        // Every sequence begins with an empty KV cache.
        sink.cachedPromptTokens(0);
        session.run(sequence, number, id -> {
            sink.token();
            token.accept(id);
        });
    }

    @Override
    public void discard() {
        if (ran.getAndSet(true)) {
            throw new IllegalStateException("what has run cannot be discarded: its KV cache is given back already");
        }
        session.giveBack(sequence);
    }
}
