package io.github.latencybudget.inference;

import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/** What a user says in a turn of a conversation. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public sealed interface Said {

    /**
     * A text as it is: the whole prompt, without a chat's template where the target can leave it out.
     *
     * @param text in no record, log or message, and not in {@link #toString}
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Text(String text) implements Said {

        @Override
        public String toString() {
            return text.length() + " characters";
        }
    }

    /**
     * Messages, of which the last is the user's.
     *
     * @param messages at least one
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Messages(List<Message> messages) implements Said {

        /** @throws IllegalArgumentException where the last is not the user's */
        public Messages {
            messages = List.copyOf(messages);
            if (messages.isEmpty() || messages.get(messages.size() - 1).role() != Message.Role.USER) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "messages = %s: the last has to be the user's, for it is what is answered",
                        messages));
            }
        }
    }

    /**
     * As many tokens as are asked for, made up, and not like those of any other turn.
     *
     * @param tokens at least 1; of the first turn BOS included, of a later one those that come on top of the conversation so far
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    record Tokens(int tokens) implements Said {

        /** @throws IllegalArgumentException below 1 */
        public Tokens {
            if (tokens < 1) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "tokens = %s: must be at least 1", tokens));
            }
        }
    }
}
