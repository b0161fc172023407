package io.github.latencybudget.target.openai;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds what an error's body says: the message of the API's errors, else the text without its tags. */
final class ErrorText {

    private ErrorText() {}

    static String of(String body) {
        try {
            JsonNode json = JsonMapper.shared().readTree(body);
            for (String pointer : new String[] {"/error/message", "/error", "/message", "/detail", "/0/msg"}) {
                JsonNode said = json.at(pointer);
                if (said.isString()) {
                    return said.asString();
                }
            }
            return body;
        } catch (JacksonException e) {
            return body.replaceAll("(?is)<(script|style).*?</\\1>", " ").replaceAll("<[^>]{0,500}>", " ");
        }
    }
}
