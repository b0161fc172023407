package io.github.latencybudget.trace;

import java.util.Locale;
import org.apiguardian.api.API;

/**
 * A file that the prompts of a run came from, without anything of what they say.
 *
 * @param name as it was given
 * @param sha256 of its bytes, 64 hexadecimal digits
 * @param conversations how many it has that can be sent
 * @param repeated how many of them say what one before them said
 * @param passedOver how many entries have nothing to send
 * @param mostTurns the most requests of one conversation
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record PromptFile(String name, String sha256, int conversations, int repeated, int passedOver, int mostTurns) {

    private static final int DIGITS = 12;

    /** {@return such as {@code file chat.jsonl, sha256 0123456789ab, 250 conversations of up to 4 turns, 2 of them repeated}} */
    @Override
    public String toString() {
        return String.format(
                        Locale.ROOT,
                        "file %s, sha256 %s, %s conversation%s of %s",
                        OneLine.of(name),
                        sha256.substring(0, Math.min(DIGITS, sha256.length())),
                        conversations,
                        conversations == 1 ? "" : "s",
                        mostTurns == 1 ? "1 turn" : "up to " + mostTurns + " turns")
                + (repeated == 0 ? "" : String.format(Locale.ROOT, ", %s of them repeated", repeated))
                + (passedOver == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %s entries without a prompt passed over", passedOver));
    }
}
