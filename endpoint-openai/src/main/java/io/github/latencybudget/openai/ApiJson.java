package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** The JSON of requests and of whole answers. */
final class ApiJson {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ApiJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** @throws JsonProcessingException where it is not JSON */
    static JsonNode read(String text) throws JsonProcessingException {
        return MAPPER.readTree(text);
    }

    /** @throws IOException where it is not JSON, in UTF-8 or another encoding of JSON */
    static JsonNode read(byte[] text) throws IOException {
        return MAPPER.readTree(text);
    }

    /** Reads what was read before. */
    static JsonNode readAgain(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("was JSON, and is no more", e);
        }
    }

    static byte[] bytes(JsonNode json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            // Into memory, any tree can be written.
            throw new IllegalStateException("cannot be written", e);
        }
    }

    /** {@return a text, number or truth value as text; else what is given} */
    static String text(JsonNode node, String otherwise) {
        return node.isValueNode() && !node.isNull() ? node.asText() : otherwise;
    }
}
