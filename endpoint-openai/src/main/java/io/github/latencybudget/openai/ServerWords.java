package io.github.latencybudget.openai;

import io.netty.handler.codec.http.HttpResponse;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a server says of its own work, by name: from llama.cpp's {@code timings}, and from headers of TGI and of gateways. */
final class ServerWords {

    private static final String PROCESSING = "openai-processing-ms";

    private static final Map<Field, String> TIMINGS = Map.of(
            Field.SERVER_CACHED_TOKENS, "cached tokens",
            Field.SERVER_PROMPT_TOKENS, "prompt tokens",
            Field.SERVER_PROMPT_MILLIS, "prompt ms",
            Field.SERVER_OUTPUT_TOKENS, "output tokens",
            Field.SERVER_OUTPUT_MILLIS, "output ms");

    private static final Map<String, String> HEADERS_IN_MILLIS = Map.of(
            "x-total-time",
            "total ms",
            "x-queue-time",
            "queue ms",
            "x-validation-time",
            "validation ms",
            "x-inference-time",
            "inference ms",
            "x-time-per-token",
            "per token ms",
            PROCESSING,
            "processing ms",
            "x-envoy-upstream-service-time",
            "upstream ms",
            "x-kong-upstream-latency",
            "upstream ms",
            "x-kong-proxy-latency",
            "gateway ms");

    private ServerWords() {}

    /** @param kind of the server; llama-cpp-python's processing time is over before a stream's prompt is begun, and no word of it */
    static SortedMap<String, Double> of(ServerKind kind, ServerTimings timings, @Nullable HttpResponse head) {
        SortedMap<String, Double> words = new TreeMap<>();
        TIMINGS.forEach((field, name) -> timings.get(field).ifPresent(v -> words.put(name, v)));
        if (head != null) {
            HEADERS_IN_MILLIS.forEach((header, name) -> {
                String value = head.headers().get(header, "");
                boolean isTold = kind != ServerKind.LLAMA_CPP_PYTHON || !header.equals(PROCESSING);
                if (isTold && value.matches("\\d{1,9}(\\.\\d{1,9})?")) {
                    words.put(name, Double.parseDouble(value));
                }
            });
        }
        return words;
    }
}
