package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** Finds what an error's body says: the message of the API's errors, else the text without its tags. */
final class ErrorText {

    private ErrorText() {}

    static String of(String body) {
        try {
            return message(ApiJson.read(body)).orElse(body);
        } catch (JacksonException e) {
            return body.replaceAll("(?is)<(script|style).*?</\\1>", " ").replaceAll("<[^>]{0,500}>", " ");
        }
    }

    /** {@return only the message; none where the body has no place for one, and may be what was sent} */
    static String messageOf(String body) {
        try {
            return message(ApiJson.read(body)).orElse("");
        } catch (JacksonException e) {
            return "";
        }
    }

    private static Optional<String> message(JsonNode json) {
        for (String pointer :
                new String[] {"/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/0/msg"}) {
            JsonNode said = json.at(pointer);
            if (said.isTextual()) {
                return Optional.of(said.asText());
            }
        }
        return Optional.empty();
    }
}
