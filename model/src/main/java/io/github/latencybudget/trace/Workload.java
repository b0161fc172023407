package io.github.latencybudget.trace;

import java.util.Optional;
import org.apiguardian.api.API;

/**
 * How the requests of a run followed one another: a condition of its numbers.
 *
 * @param shares of the prompt lengths, where each request drew its own; empty where the lengths took turns, or came from a file
 * @param file where the prompts came from, in an order that was drawn; empty where they were made
 * @param thinkTime how long each user thought between an answer and the next request; empty for not at all
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Workload(Optional<PromptShares> shares, Optional<PromptFile> file, Optional<ThinkTime> thinkTime) {

    /** Prompts of each length in turn, each of its own. */
    public static final Workload IN_TURN = new Workload(Optional.empty(), Optional.empty(), Optional.empty());

    /** {@return prompts of drawn lengths, each of its own} */
    public static Workload drawn(PromptShares shares) {
        return new Workload(Optional.of(shares), Optional.empty(), Optional.empty());
    }

    /** {@return prompts of a file} */
    public static Workload of(PromptFile file) {
        return new Workload(Optional.empty(), Optional.of(file), Optional.empty());
    }

    /** {@return the same, by users who think} */
    public Workload thinking(ThinkTime time) {
        return new Workload(shares, file, Optional.of(time));
    }

    /**
     * {@return whether each request drew its prompt, whatever came before} Then each is a sample of what the run is about as a
     * whole; else it takes one of every length.
     */
    public boolean drawsPrompts() {
        return shares.isPresent() || file.isPresent();
    }

    /**
     * {@return how many requests may share a moment for each that is in flight} The turns of one conversation are near one another
     * and resemble one another.
     */
    public int turnsTogether() {
        return file.map(PromptFile::mostTurns).orElse(1);
    }

    /** {@return what was sent, such as {@code 128, 512 drawn 3:1}; without the think time} */
    @Override
    public String toString() {
        return shares.map(PromptShares::toString)
                .or(() -> file.map(PromptFile::toString))
                .orElse("each length in turn");
    }
}
