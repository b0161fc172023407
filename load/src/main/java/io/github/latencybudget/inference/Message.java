package io.github.latencybudget.inference;

import java.util.Locale;
import java.util.Objects;
import org.apiguardian.api.API;

/**
 * A message of a conversation.
 *
 * @param role who says it
 * @param text what is said; in no record, log or message, and not in {@link #toString}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Message(Role role, String text) {

    /** Who says a message. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Role {
        /** Whoever set the service up. */
        SYSTEM,
        /** The user. */
        USER,
        /** The model. */
        ASSISTANT
    }

    /** @throws NullPointerException without a role or a text */
    public Message {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(text, "text");
    }

    /** {@return who says how much} */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, %s characters", role, text.length());
    }
}
