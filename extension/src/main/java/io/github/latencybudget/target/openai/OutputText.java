package io.github.latencybudget.target.openai;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The text of an answer, kept only where somebody will count its tokens, and only until then. */
final class OutputText {

    private static final int FIRST_BYTES = 256;

    private final boolean isKept;
    private byte[] bytes;
    private int length;
    private boolean isCountable = true;

    OutputText(boolean isKept) {
        this.isKept = isKept;
        this.bytes = new byte[isKept ? FIRST_BYTES : 0];
    }

    void add(byte[] from, int start, int end) {
        if (!isKept) {
            return;
        }
        int added = end - start;
        if (length + added > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + added));
        }
        System.arraycopy(from, start, bytes, length, added);
        length += added;
    }

    /** Something came that is not as the model wrote it, such as a tool call that the server took apart. */
    void addUncountable() {
        isCountable = false;
    }

    /** {@return the text as the model wrote it; empty where it was not kept, or cannot be known} */
    Optional<String> asWritten() {
        return isKept && isCountable
                ? Optional.of(new String(bytes, 0, length, StandardCharsets.UTF_8))
                : Optional.empty();
    }
}
