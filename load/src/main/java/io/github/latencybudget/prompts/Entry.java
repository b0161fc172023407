package io.github.latencybudget.prompts;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Message.Role;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.load.Dialogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * One entry of a file, in any of the formats. Keys that no format has are passed over, for data sets have more.
 *
 * @param wrong makes the error of this entry from what is wrong with it
 */
record Entry(JsonNode json, Function<String, PromptFileException> wrong) {

    private static final String PROMPT = "prompt";
    private static final String MESSAGES = "messages";
    private static final String TOKENS = "promptTokens";
    private static final String OUTPUT = "outputTokens";
    private static final String TURNS = "turns";
    private static final String SHARE_GPT = "conversations";

    private static final Map<String, Role> ROLES = Map.of(
            "system", Role.SYSTEM,
            "user", Role.USER,
            "human", Role.USER,
            "assistant", Role.ASSISTANT,
            "gpt", Role.ASSISTANT,
            "chatgpt", Role.ASSISTANT,
            "bing", Role.ASSISTANT,
            "bard", Role.ASSISTANT);

    /** {@return what it says; empty where that is nothing to send, as in some conversations of the published data sets} */
    Optional<Dialogue> dialogue() {
        if (json.has(SHARE_GPT)) {
            return shareGpt(json.get(SHARE_GPT));
        }
        if (!json.has(TURNS)) {
            return Optional.of(new Dialogue(List.of(turn(json))));
        }
        JsonNode turns = json.get(TURNS);
        require(turns.isArray() && !turns.isEmpty(), "`turns` has to be a list of at least one turn");
        List<Dialogue.Turn> all = new ArrayList<>();
        turns.forEach(t -> all.add(turn(t)));
        return Optional.of(new Dialogue(all));
    }

    private Dialogue.Turn turn(JsonNode node) {
        int kinds = (node.has(PROMPT) ? 1 : 0) + (node.has(MESSAGES) ? 1 : 0) + (node.has(TOKENS) ? 1 : 0);
        require(
                kinds == 1,
                String.format(
                        Locale.ROOT,
                        "an entry has one of `prompt`, `messages`, `promptTokens`, `turns` and `conversations`, and this has %s",
                        kinds == 0 ? "none" : "several"));
        OptionalInt outputTokens = node.has(OUTPUT) ? OptionalInt.of(count(node, OUTPUT)) : OptionalInt.empty();
        if (node.has(TOKENS)) {
            return new Dialogue.Turn(new Said.Tokens(count(node, TOKENS)), outputTokens);
        }
        return new Dialogue.Turn(
                node.has(PROMPT)
                        ? new Said.Text(text(node, PROMPT))
                        : new Said.Messages(messages(node.get(MESSAGES), "role", "content")),
                outputTokens);
    }

    private int count(JsonNode node, String key) {
        JsonNode value = node.get(key);
        require(
                value.isInt() && value.intValue() >= 1,
                String.format(Locale.ROOT, "`%s` has to be a whole number, at least 1", key));
        return value.intValue();
    }

    private String text(JsonNode node, String key) {
        JsonNode value = node.path(key);
        require(
                value.isTextual() && !value.textValue().isEmpty(),
                String.format(Locale.ROOT, "`%s` has to be a text that is not empty", key));
        return value.textValue();
    }

    private List<Message> messages(JsonNode list, String roleKey, String textKey) {
        List<Message> messages = messagesOf(list, roleKey, textKey);
        require(
                !messages.isEmpty() && messages.get(messages.size() - 1).role() == Role.USER,
                "the last of `messages` has to be the user's, for it is what is answered");
        return messages;
    }

    private List<Message> messagesOf(JsonNode list, String roleKey, String textKey) {
        require(
                list.isArray(),
                String.format(Locale.ROOT, "`%s` has to be a list", roleKey.equals("from") ? SHARE_GPT : MESSAGES));
        List<Message> messages = new ArrayList<>();
        for (JsonNode message : list) {
            String name = message.path(roleKey).asText("");
            Role role = ROLES.get(name.toLowerCase(Locale.ROOT));
            require(
                    role != null,
                    String.format(
                            Locale.ROOT,
                            "the `%s` of message %d is none of system, user, human, assistant, gpt, chatgpt, bing and bard",
                            roleKey,
                            messages.size() + 1));
            require(
                    message.path(textKey).isTextual(),
                    String.format(Locale.ROOT, "`%s` of message %d has to be a text", textKey, messages.size() + 1));
            messages.add(new Message(role, message.get(textKey).textValue()));
        }
        return messages;
    }

    /** Each message of a user is a turn, with what the system says before it. The answers are those that the target gives. */
    private Optional<Dialogue> shareGpt(JsonNode list) {
        List<Dialogue.Turn> turns = new ArrayList<>();
        List<Message> before = new ArrayList<>();
        for (Message message : messagesOf(list, "from", "value")) {
            if (message.role() == Role.ASSISTANT || message.text().isBlank()) {
                continue;
            }
            before.add(message);
            if (message.role() == Role.USER) {
                turns.add(new Dialogue.Turn(new Said.Messages(before), OptionalInt.empty()));
                before.clear();
            }
        }
        return turns.isEmpty() ? Optional.empty() : Optional.of(new Dialogue(turns));
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw wrong.apply(what);
        }
    }
}
