package io.github.latencybudget.load;

import io.github.latencybudget.inference.Said;
import java.util.List;
import java.util.OptionalInt;
import org.apiguardian.api.API;

/**
 * A conversation of one user, as a file has it.
 *
 * @param turns what is said, one after the other; each after the answer to the one before
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Dialogue(List<Turn> turns) {

    /**
     * A turn.
     *
     * @param said what is said
     * @param outputTokens how many tokens the answer has; empty for as many as the scenario says
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Turn(Said said, OptionalInt outputTokens) {}

    /** @throws IllegalArgumentException without a turn */
    public Dialogue {
        turns = List.copyOf(turns);
        if (turns.isEmpty()) {
            throw new IllegalArgumentException("turns = []: a conversation has at least one");
        }
    }

    /** {@return whether it is one prompt of a declared length, which every target can be sent} */
    boolean isMade() {
        return turns.size() == 1 && turns.get(0).said() instanceof Said.Tokens;
    }
}
