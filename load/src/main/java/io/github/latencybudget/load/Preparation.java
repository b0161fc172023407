package io.github.latencybudget.load;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.trace.Sampling;
import java.util.Locale;
import java.util.function.Supplier;

/** Makes requests ready, each of which generates exactly so many output tokens. */
record Preparation(TargetSession session, Sampling sampling) {

    Generation of(Plan.Next next, int outputTokens, long promptNumber) {
        if (next.dialogue().isEmpty()) {
            return of(next.promptTokens(), outputTokens, promptNumber);
        }
        Dialogues.Ongoing dialogue = next.dialogue().get();
        Said said = dialogue.turn().said();
        return dialogue.isMade() && said instanceof Said.Tokens made
                ? of(made.tokens(), outputTokens, promptNumber)
                : of(dialogue.conversation(session::converse), said, outputTokens, promptNumber);
    }

    Generation of(int promptTokens, int outputTokens, long promptNumber) {
        return prepared(
                String.format(Locale.ROOT, "a request with a prompt of %d tokens", promptTokens),
                () -> session.prepare(new GenerationRequest(promptTokens, outputTokens, true, sampling, promptNumber)));
    }

    Generation of(Conversation conversation, Said said, int outputTokens, long promptNumber) {
        return prepared(
                "a turn of a conversation",
                () -> conversation.prepare(new Turn(said, outputTokens, true, sampling, promptNumber)));
    }

    private static Generation prepared(String what, Supplier<Generation> prepare) {
        try {
            return prepare.get();
        } catch (MeasurementException e) {
            throw e;
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT, "%s could not be prepared (%s): see what the target says to it", what, e),
                    e);
        }
    }
}
