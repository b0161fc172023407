package io.github.latencybudget.trace;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apiguardian.api.API;

/** Reads texts that somebody has saved with an editor: UTF-8, with a byte order mark or without. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Utf8 {

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private Utf8() {}

    /** A text is not UTF-8. The message says what it is instead, as far as its first bytes tell. */
    @API(status = API.Status.INTERNAL, since = "0.1")
    public static final class Fault extends CharacterCodingException {

        private static final long serialVersionUID = 1L;

        private final String message;

        private Fault(String message) {
            this.message = message;
        }

        @Override
        public String getMessage() {
            return message;
        }
    }

    /**
     * {@return a text without its mark}
     *
     * @throws Fault where it is not UTF-8
     */
    public static String text(byte[] bytes) throws Fault {
        requireNoOther(bytes);
        int start = isMarked(bytes) ? MARK.length : 0;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, start, bytes.length - start))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Fault("is not UTF-8");
        }
    }

    /**
     * {@return the bytes without their mark} Whether what follows is UTF-8 is for the reader to see.
     *
     * @throws Fault where they begin as another encoding does
     */
    public static InputStream withoutMark(InputStream bytes) throws IOException {
        PushbackInputStream in = new PushbackInputStream(bytes, MARK.length);
        byte[] start = in.readNBytes(MARK.length);
        requireNoOther(start);
        if (!isMarked(start)) {
            in.unread(start);
        }
        return in;
    }

    private static boolean isMarked(byte[] bytes) {
        return bytes.length >= MARK.length && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length);
    }

    /** By the mark of UTF-16, or a zero in one of the first two bytes, which no text has in UTF-8. */
    private static void requireNoOther(byte[] bytes) throws Fault {
        if (bytes.length < 2) {
            return;
        }
        int first = bytes[0] & 0xFF;
        int second = bytes[1] & 0xFF;
        if (first == 0xFE && second == 0xFF || first == 0xFF && second == 0xFE || first == 0 ^ second == 0) {
            throw new Fault("is UTF-16, not UTF-8");
        }
    }
}
