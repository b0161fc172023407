package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.openai.ServerKind.Asks;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes the body of a request. */
final class RequestBody {

    /** Ends of names; {@code min_tokens} is none. */
    private static final Pattern SECRET =
            Pattern.compile("(?i)(key|token|secret|password|passwd|credentials?|auth|authorization|cookie)$");

    private final OpenAiOptions options;
    private final ServerKind kind;
    private final String model;

    RequestBody(OpenAiOptions options, ServerKind kind, String model) {
        this.options = options;
        this.kind = kind;
        this.model = model;
    }

    /** {@return the values, at any depth, of fields whose names say that they are secret} */
    static List<String> secrets(Map<String, String> body) {
        List<String> secrets = new ArrayList<>();
        body.forEach((name, value) -> addSecrets(name, ApiJson.readAgain(value), secrets));
        return secrets;
    }

    private static void addSecrets(String name, JsonNode value, List<String> secrets) {
        if (value.isValueNode() && SECRET.matcher(name).find()) {
            secrets.add(value.asText());
        }
        value.forEach(element -> addSecrets(name, element, secrets));
        value.properties().forEach(field -> addSecrets(field.getKey(), field.getValue(), secrets));
    }

    /** {@return a value that is JSON, or a string of JSON with what was written} */
    static String requireJson(String name, String value) {
        try {
            return ApiJson.read(value).toString();
        } catch (JacksonException e) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s is no JSON: write a number, true, or a text in double quotes",
                    OptionValues.shown("body.", name)));
        }
    }

    /** {@return the body of a measured request with one message} */
    byte[] measured(GenerationRequest request, String prompt) {
        return measured(request, user(prompt));
    }

    /** {@return the body of a measured request with a conversation, whose prompt is as long as it is} */
    byte[] measured(GenerationRequest request, List<Message> messages) {
        ObjectNode body = common(messages, request.outputTokens(), request.sampling());
        body.put("stream", options.isStreamed());
        if (options.isStreamed()) {
            ObjectNode streamOptions = body.putObject("stream_options");
            streamOptions.put("include_usage", true);
            if (kind.can(Asks.CHUNK_USAGE)) {
                streamOptions.put("continuous_usage_stats", true);
            }
            if (kind.can(Asks.TIMINGS)) {
                body.put("timings_per_token", true);
            }
        }
        if (request.ignoreEos()) {
            if (kind.can(Asks.IGNORE_EOS)) {
                body.put("ignore_eos", true);
            }
            if (kind.can(Asks.MIN_TOKENS)) {
                body.put("min_tokens", request.outputTokens());
            }
        }
        request.stopStrings().forEach(body.withArray("stop")::add);
        if (request.stopStrings().isEmpty()) {
            body.remove("stop");
        }
        return withExtras(body);
    }

    /** {@return the body of a request for one token, whose answer says how many tokens the prompt has} */
    byte[] counting(String prompt) {
        return withExtras(common(user(prompt), 1, Sampling.GREEDY).put("stream", false));
    }

    private static List<Message> user(String prompt) {
        return List.of(new Message(Message.Role.USER, prompt));
    }

    private ObjectNode common(List<Message> messages, int outputTokens, Sampling sampling) {
        ObjectNode body = ApiJson.object();
        body.put("model", model);
        if (options.isChat()) {
            ArrayNode array = body.putArray("messages");
            messages.forEach(m -> array.addObject()
                    .put("role", m.role().name().toLowerCase(Locale.ROOT))
                    .put("content", m.text()));
        } else {
            body.put("prompt", messages.stream().map(Message::text).collect(Collectors.joining("\n")));
        }
        body.put(
                options.isChat() && kind.can(Asks.MAX_COMPLETION_TOKENS) ? "max_completion_tokens" : "max_tokens",
                outputTokens);
        body.put("temperature", sampling.temperature());
        if (sampling.temperature() > 0) {
            body.put("top_p", sampling.topP());
            body.put("seed", sampling.seed());
        }
        if (sampling.topK() > 0) {
            require(Asks.TOP_K, "topK");
            body.put("top_k", sampling.topK());
        }
        if (sampling.repetitionPenalty() != 1) {
            require(Asks.TOP_K, "repetitionPenalty");
            body.put(
                    kind == ServerKind.LLAMA_CPP || kind == ServerKind.LLAMA_CPP_PYTHON
                            ? "repeat_penalty"
                            : "repetition_penalty",
                    sampling.repetitionPenalty());
        }
        if (kind.can(Asks.NO_PROMPT_CACHE) && options.cache() != OpenAiOptions.PrefixCacheMode.WARM) {
            body.put("cache_prompt", false);
        }
        return body;
    }

    private void require(Asks what, String attribute) {
        if (!kind.can(what)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s cannot be asked of a server of the kind %s: leave it out, or name the kind by the option server",
                    attribute,
                    kind));
        }
    }

    private byte[] withExtras(ObjectNode body) {
        options.body().forEach((name, value) -> body.set(name, ApiJson.readAgain(value)));
        return ApiJson.bytes(body);
    }
}
