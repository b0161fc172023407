package io.github.latencybudget.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An answer that was not streamed. It is read once all of it has come, and says nothing of when its tokens were there.
 *
 * @param completionTokens how many output tokens the server counts; empty where it does not
 * @param promptTokens how many prompt tokens it counts
 * @param cachedTokens how many of them came from its cache
 * @param reasoningTokens how many of the output tokens were reasoning
 * @param text what was generated, reasoning first
 * @param said the same without reasoning; empty where it has a tool call, of which the text is not known
 */
record WholeAnswer(
        OptionalInt completionTokens,
        OptionalInt promptTokens,
        OptionalInt cachedTokens,
        OptionalInt reasoningTokens,
        String text,
        Optional<String> said) {

    private static final String MESSAGE = "message";
    private static final String REASONING = "reasoning_content";
    private static final String CONTENT = "content";

    /** @throws AnswerFault where it is not what the API promises */
    static WholeAnswer of(byte[] body) throws AnswerFault {
        JsonNode answer;
        try {
            answer = ApiJson.read(body);
        } catch (IOException e) {
            throw new AnswerFault("the answer is not valid JSON: see what the server sends");
        }
        if (!answer.path("error").isMissingNode() && !answer.path("error").isNull()) {
            JsonNode error = answer.path("error");
            throw new AnswerFault(String.format(
                    Locale.ROOT,
                    "the server sent an error in place of an answer: %s",
                    ApiJson.text(error.path("message"), error.toString())));
        }
        JsonNode choice = answer.path("choices").path(0);
        if (choice.isMissingNode()) {
            throw new AnswerFault("the answer has no `choices`: is this an OpenAI-compatible API?");
        }
        if (ApiJson.text(choice.path("finish_reason"), "").equals("error")) {
            throw new AnswerFault("the server ended the answer with finish_reason: error; see its log");
        }
        JsonNode usage = answer.path("usage");
        return new WholeAnswer(
                count(usage.path("completion_tokens")),
                count(usage.path("prompt_tokens")),
                count(usage.path("prompt_tokens_details").path("cached_tokens")),
                count(usage.path("completion_tokens_details").path("reasoning_tokens")),
                text(choice, REASONING, CONTENT),
                choice.path(MESSAGE).path("tool_calls").isEmpty()
                        ? Optional.of(text(choice, CONTENT))
                        : Optional.empty());
    }

    private static OptionalInt count(JsonNode node) {
        return node.isIntegralNumber() && node.canConvertToInt() && node.asInt() >= 0
                ? OptionalInt.of(node.asInt())
                : OptionalInt.empty();
    }

    private static String text(JsonNode choice, String... ofMessage) {
        JsonNode message = choice.path(MESSAGE);
        return Stream.concat(Stream.of(ofMessage).map(message::path), Stream.of(choice.path("text")))
                .filter(JsonNode::isTextual)
                .map(JsonNode::asText)
                .collect(Collectors.joining());
    }
}
