package io.github.latencybudget.openai;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which program serves, as far as it changes what it can be asked for. What a server does not know it may refuse. */
enum ServerKind {
    VLLM("vllm", Asks.IGNORE_EOS, Asks.MIN_TOKENS, Asks.CHUNK_USAGE, Asks.TOP_K),
    SGLANG("sglang", Asks.IGNORE_EOS, Asks.MIN_TOKENS, Asks.CHUNK_USAGE, Asks.TOP_K),
    TGI("tgi"),
    LLAMA_CPP("llama.cpp", Asks.IGNORE_EOS, Asks.NO_PROMPT_CACHE, Asks.TIMINGS, Asks.TOP_K),
    LLAMA_CPP_PYTHON("llama-cpp-python", Asks.MIN_TOKENS, Asks.TOP_K),
    OLLAMA("ollama"),
    TENSORRT_LLM("tensorrt-llm", Asks.IGNORE_EOS, Asks.MIN_TOKENS, Asks.TOP_K),
    TRANSFORMERS("transformers"),
    OPENAI("openai", Asks.MAX_COMPLETION_TOKENS),
    OTHER("other");

    /** What can be asked for in a request's body beyond what the API itself has. */
    enum Asks {
        /** {@code ignore_eos}. */
        IGNORE_EOS,
        /** {@code min_tokens}. */
        MIN_TOKENS,
        /** {@code stream_options.continuous_usage_stats}. */
        CHUNK_USAGE,
        /** {@code cache_prompt: false}. */
        NO_PROMPT_CACHE,
        /** {@code timings_per_token}, of which the last says what all of it took. */
        TIMINGS,
        /** {@code top_k} and {@code repetition_penalty}. */
        TOP_K,
        /** {@code max_completion_tokens} in place of {@code max_tokens}, on chat completions. */
        MAX_COMPLETION_TOKENS
    }

    private final String label;
    private final List<Asks> asks;

    ServerKind(String label, Asks... asks) {
        this.label = label;
        this.asks = List.of(asks);
    }

    /** {@return the kind of this name; empty where there is none} */
    static Optional<ServerKind> named(String name) {
        return Arrays.stream(values())
                .filter(k -> k.label.equals(name.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(k -> k.label).collect(Collectors.joining(", "));
    }

    /**
     * {@return the kind that a server says it is}
     *
     * @param ownedBy of its models
     * @param server the header {@code Server}
     */
    static ServerKind detect(String ownedBy, String server) {
        String owner = ownedBy.toLowerCase(Locale.ROOT);
        String header = server.toLowerCase(Locale.ROOT);
        if (owner.equals("llamacpp") || header.startsWith("llama.cpp")) {
            return LLAMA_CPP;
        }
        return switch (owner) {
            case "vllm" -> VLLM;
            case "sglang" -> SGLANG;
            case "library" -> OLLAMA;
            case "tensorrt_llm" -> TENSORRT_LLM;
            case "me" -> LLAMA_CPP_PYTHON;
            case "openai", "system", "openai-internal" -> OPENAI;
            default -> OTHER;
        };
    }

    boolean can(Asks what) {
        return asks.contains(what);
    }

    /** {@return the next step where it ended a stream before its output was over} */
    String whyAStreamEndsEarly() {
        return this == LLAMA_CPP_PYTHON
                ? "unless started with --interrupt_requests false, it does so when another request comes"
                : "see its log";
    }

    @Override
    public String toString() {
        return label;
    }
}
