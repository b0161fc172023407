package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalInt;

/**
 * Has a server count the tokens of a prompt without generating: {@code /tokenize} of vLLM, for chats with all that its template
 * adds, and that of llama.cpp, for completions.
 */
final class ServerTokenizer {

    private static final int OK = 200;

    private final Http http;
    private final OpenAiOptions options;
    private final ServerFacts facts;
    private boolean isThere;

    ServerTokenizer(Http http, OpenAiOptions options, ServerFacts facts) {
        this.http = http;
        this.options = options;
        this.facts = facts;
        this.isThere = facts.kind() == ServerKind.VLLM || facts.kind() == ServerKind.LLAMA_CPP && !options.isChat();
    }

    /** {@return how many there are, BOS included; empty where the server has no such call, and then for good} */
    OptionalInt count(String prompt) throws InterruptedException {
        if (!isThere) {
            return OptionalInt.empty();
        }
        OptionalInt count = ask(prompt);
        isThere = count.isPresent();
        return count;
    }

    /** It is not to be asked again. */
    void distrust() {
        isThere = false;
    }

    private OptionalInt ask(String prompt) throws InterruptedException {
        // Beside the API and not in it.
        String path = options.endpoint().path().replaceFirst("/v\\d+[a-z0-9]*$", "") + "/tokenize";
        try {
            Http.Answer answer = http.post(path, ApiJson.bytes(body(prompt)));
            if (answer.status() != OK) {
                return OptionalInt.empty();
            }
            JsonNode counted = ApiJson.read(answer.body());
            int count = counted.path("count").asInt(counted.path("tokens").size());
            return count > 0 ? OptionalInt.of(count) : OptionalInt.empty();
        } catch (Http.Failure | JacksonException e) {
            return OptionalInt.empty();
        }
    }

    private ObjectNode body(String prompt) {
        ObjectNode body = ApiJson.object();
        if (facts.kind() == ServerKind.LLAMA_CPP) {
            return body.put("content", prompt).put("add_special", true);
        }
        body.put("model", facts.model());
        if (options.isChat()) {
            body.putArray("messages").addObject().put("role", "user").put("content", prompt);
            return body.put("add_generation_prompt", true);
        }
        return body.put("prompt", prompt).put("add_special_tokens", true);
    }
}
