package io.github.latencybudget.load;

import io.github.latencybudget.trace.PromptFile;
import io.github.latencybudget.trace.PromptShares;
import java.util.List;
import org.apiguardian.api.API;

/** Which prompts a run sends, one after the other. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Prompts {

    /** A prompt of each length in turn, each of its own. */
    Prompts IN_TURN = new InTurn();

    /** A prompt of each length in turn, each of its own. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record InTurn() implements Prompts {}

    /**
     * Each request draws the length of its prompt, which is its own.
     *
     * @param shares how often each length is drawn
     * @param seed what the draws follow from
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Drawn(PromptShares shares, long seed) implements Prompts {}

    /**
     * Conversations of a file, each once, in an order that was drawn. Where one has several turns, its user waits for the answer to
     * one and says the next.
     *
     * @param file what it is
     * @param dialogues what is sent
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record FromFile(PromptFile file, List<Dialogue> dialogues) implements Prompts {

        /** @throws IllegalArgumentException without a conversation */
        public FromFile {
            dialogues = List.copyOf(dialogues);
            if (dialogues.isEmpty()) {
                throw new IllegalArgumentException("dialogues = []: there is nothing to send");
            }
        }

        int turns() {
            return dialogues.stream().mapToInt(d -> d.turns().size()).sum();
        }

        /** {@return what it is, without what its prompts say} */
        @Override
        public String toString() {
            return file.toString();
        }
    }
}
