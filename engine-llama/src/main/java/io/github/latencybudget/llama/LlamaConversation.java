package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.Turn;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * A conversation with a Llama model. Each turn is sent with all the ids before it, those of the answers included, and begins with
 * an empty KV cache. Messages are in the template of Llama 2's chat models.
 */
final class LlamaConversation implements Conversation {

    private final Requests requests;
    private final Prompts prompts;
    private final TextIds texts;
    private long[] history = {};
    private LongStream.Builder answer = LongStream.builder();
    private int awaited;

    /** Makes a request from the ids of its prompt. */
    interface Requests {
        Generation of(long[] prompt, Turn turn, LongConsumer token);
    }

    LlamaConversation(Requests requests, Prompts prompts, TextIds texts) {
        this.requests = requests;
        this.prompts = prompts;
        this.texts = texts;
    }

    @Override
    public Generation prepare(Turn turn) {
        long[] answered = answer.build().toArray();
        if (answered.length < awaited) {
            throw new MeasurementException(
                    "the turn before has no answer, so there is nothing to go on with: begin another conversation");
        }
        boolean isFirst = history.length == 0;
        history = joined(history, answered, ids(turn, isFirst));
        answer = LongStream.builder();
        awaited = 1;
        return requests.of(history, turn, answer::add);
    }

    private long[] ids(Turn turn, boolean isFirst) {
        if (turn.said() instanceof Said.Tokens made) {
            int bos = isFirst ? 0 : 1;
            long[] ids = prompts.prompt(made.tokens() + bos, turn.promptNumber());
            return LongStream.of(ids).skip(bos).toArray();
        }
        if (turn.said() instanceof Said.Text said) {
            return isFirst ? texts.first(said.text()) : texts.further(said.text());
        }
        return texts.chat(((Said.Messages) turn.said()).messages(), isFirst);
    }

    private static long[] joined(long[]... parts) {
        return List.of(parts).stream().flatMapToLong(LongStream::of).toArray();
    }
}
