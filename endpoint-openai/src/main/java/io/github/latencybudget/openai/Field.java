package io.github.latencybudget.openai;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of an event that means something to a measurement, and the paths to it; {@code []} is each element of an array. */
enum Field {
    CHOICES("choices"),
    CONTENT("choices.[].delta.content", "choices.[].delta.refusal", "choices.[].text"),
    REASONING("choices.[].delta.reasoning_content", "choices.[].delta.reasoning"),
    TOOL_CALL(
            "choices.[].delta.tool_calls.[].function.name",
            "choices.[].delta.tool_calls.[].function.arguments",
            "choices.[].delta.function_call.name",
            "choices.[].delta.function_call.arguments"),
    FINISH_REASON("choices.[].finish_reason"),
    TOKEN_IDS("choices.[].token_ids"),
    TOKEN_ID("choices.[].token_ids.[]"),
    COMPLETION_TOKENS("usage.completion_tokens"),
    PROMPT_TOKENS("usage.prompt_tokens"),
    CACHED_TOKENS("usage.prompt_tokens_details.cached_tokens", "usage.prompt_cache_hit_tokens"),
    REASONING_TOKENS("usage.completion_tokens_details.reasoning_tokens"),
    ERROR("error", "error.message"),
    ERROR_CODE("error.code"),
    /** Of an error without an object of its own, as older servers send it. */
    MESSAGE("message"),
    SERVER_CACHED_TOKENS("timings.cache_n"),
    SERVER_PROMPT_TOKENS("timings.prompt_n"),
    SERVER_PROMPT_MILLIS("timings.prompt_ms"),
    SERVER_OUTPUT_TOKENS("timings.predicted_n"),
    SERVER_OUTPUT_MILLIS("timings.predicted_ms");

    private final List<String> paths;

    Field(String... paths) {
        this.paths = List.of(paths);
    }

    /** {@return the tree of all paths} */
    static Node tree() {
        Node root = new Node(new byte[0]);
        for (Field field : values()) {
            for (String path : field.paths) {
                Node node = root;
                for (String name : path.split("\\.")) {
                    node = node.childOrNew(name);
                }
                node.field = field;
            }
        }
        return root;
    }

    /** A place in the tree. */
    static final class Node {

        private static final byte[] ELEMENT = {'[', ']'};

        private final byte[] name;
        private final List<Node> made = new ArrayList<>();
        private Node[] children = {};
        private @Nullable Node element;
        private @Nullable Field field;

        private Node(byte[] name) {
            this.name = name;
        }

        private Node childOrNew(String childName) {
            byte[] bytes = childName.getBytes(StandardCharsets.US_ASCII);
            Node known = Arrays.equals(bytes, ELEMENT) ? element : child(bytes, bytes.length);
            if (known != null) {
                return known;
            }
            Node child = new Node(bytes);
            if (Arrays.equals(bytes, ELEMENT)) {
                element = child;
            } else {
                made.add(child);
                children = made.toArray(Node[]::new);
            }
            return child;
        }

        /** {@return the place below this one that a key leads to; null for one that means nothing} */
        @Nullable
        Node child(byte[] key, int length) {
            for (Node child : children) {
                if (child.name.length == length && isSame(child.name, key)) {
                    return child;
                }
            }
            return null;
        }

        /** Names are so short that a library's comparison takes longer to begin. */
        private static boolean isSame(byte[] name, byte[] key) {
            for (int i = 0; i < name.length; i++) {
                if (name[i] != key[i]) {
                    return false;
                }
            }
            return true;
        }

        /** {@return the place of each element of an array here; null where they mean nothing} */
        @Nullable
        Node element() {
            return element;
        }

        /** {@return what a value here is; null where it is only on the way} */
        @Nullable
        Field field() {
            return field;
        }
    }
}
