package io.github.latencybudget.openai;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The text of an answer, kept only where somebody will count its tokens or answer it, and only until then. */
final class OutputText {

    private static final int FIRST_BYTES = 256;

    private final boolean isKept;
    private byte[] bytes;
    private int length;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream(0);
    private boolean isCountable = true;

    OutputText(boolean isKept) {
        this.isKept = isKept;
        this.bytes = new byte[isKept ? FIRST_BYTES : 0];
    }

    void add(byte[] from, int start, int end) {
        if (isKept) {
            append(from, start, end);
            said.write(from, start, end - start);
        }
    }

    /** What the model wrote before it answered. */
    void addReasoning(byte[] from, int start, int end) {
        if (isKept) {
            append(from, start, end);
        }
    }

    private void append(byte[] from, int start, int end) {
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

    /** {@return the same without reasoning} */
    Optional<String> said() {
        return isKept && isCountable ? Optional.of(said.toString(StandardCharsets.UTF_8)) : Optional.empty();
    }
}
