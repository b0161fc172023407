package io.github.latencybudget.openai;

/** A string of JSON after its opening quote: resolves escapes and checks UTF-8, wherever its bytes are cut. */
final class JsonString {

    private static final int NONE = -1;

    private final Sink sink;
    private final byte[] resolved = new byte[4];
    private boolean isOver;
    private boolean isEscape;
    private int hexDigitsLeft;
    private int codeUnit;
    private int highSurrogate = NONE;
    private int continuationsLeft;
    private int leastContinuation;
    private int mostContinuation;

    /** Takes the bytes of the string. */
    interface Sink {
        void bytes(byte[] bytes, int from, int to);
    }

    JsonString(Sink sink) {
        this.sink = sink;
    }

    void start() {
        isOver = false;
        isEscape = false;
        hexDigitsLeft = 0;
        highSurrogate = NONE;
        continuationsLeft = 0;
    }

    boolean isOver() {
        return isOver;
    }

    /** {@return the first index that is not of the string} */
    int feed(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to && !isOver) {
            if (hexDigitsLeft > 0) {
                hexDigit(bytes[i++]);
            } else if (isEscape) {
                isEscape = false;
                escape(bytes[i++]);
            } else {
                i = plain(bytes, i, to);
            }
        }
        return i;
    }

    private int plain(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to) {
            if (continuationsLeft == 0) {
                i = endOfAscii(bytes, i, to);
                if (i == to) {
                    break;
                }
            }
            byte b = bytes[i];
            if (b < 0 || continuationsLeft > 0) {
                utf8(b & 0xFF);
            } else if (b == '"' || b == '\\') {
                break;
            } else {
                throw JsonScanner.notJson("a control character is in a string");
            }
            i++;
        }
        if (i > from) {
            endLoneSurrogate();
            sink.bytes(bytes, from, i);
        }
        if (i == to) {
            return i;
        }
        if (bytes[i] == '"') {
            endLoneSurrogate();
            isOver = true;
        } else {
            isEscape = true;
        }
        return i + 1;
    }

    /** Nearly all bytes are such. */
    private static int endOfAscii(byte[] bytes, int from, int to) {
        int i = EightBytes.plainAscii(bytes, from, to);
        while (i < to && bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\') {
            i++;
        }
        return i;
    }

    /** The well-formed sequences are those of table 3-7 of the Unicode standard. */
    private void utf8(int b) throws AnswerFault {
        if (continuationsLeft > 0) {
            if (b < leastContinuation || b > mostContinuation) {
                throw notUtf8();
            }
            continuationsLeft--;
            leastContinuation = 0x80;
            mostContinuation = 0xBF;
            return;
        }
        if (b < 0xC2 || b > 0xF4) {
            throw notUtf8();
        }
        continuationsLeft = b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
        leastContinuation = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;
        mostContinuation = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
    }

    private static AnswerFault notUtf8() {
        return new AnswerFault("an event is not valid UTF-8: see what the server sends");
    }

    private void escape(byte b) throws AnswerFault {
        if (b == 'u') {
            hexDigitsLeft = 4;
            codeUnit = 0;
            return;
        }
        endLoneSurrogate();
        resolved[0] = switch (b) {
            case '"', '\\', '/' -> b;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> throw JsonScanner.notJson("an escape in a string is none");
        };
        sink.bytes(resolved, 0, 1);
    }

    private void hexDigit(byte b) throws AnswerFault {
        int digit = Character.digit(b, 16);
        if (digit < 0) {
            throw JsonScanner.notJson("an escape in a string is none");
        }
        codeUnit = codeUnit << 4 | digit;
        hexDigitsLeft--;
        if (hexDigitsLeft == 0) {
            codeUnit(codeUnit);
        }
    }

    private void codeUnit(int unit) {
        if (highSurrogate != NONE && Character.isLowSurrogate((char) unit)) {
            int codePoint = Character.toCodePoint((char) highSurrogate, (char) unit);
            highSurrogate = NONE;
            encode(codePoint);
            return;
        }
        endLoneSurrogate();
        if (Character.isHighSurrogate((char) unit)) {
            highSurrogate = unit;
        } else {
            encode(Character.isLowSurrogate((char) unit) ? 0xFFFD : unit);
        }
    }

    /** Half of a pair is no character, and what a decoder makes of it. */
    private void endLoneSurrogate() {
        if (highSurrogate != NONE) {
            highSurrogate = NONE;
            encode(0xFFFD);
        }
    }

    private void encode(int codePoint) {
        int length;
        if (codePoint < 0x80) {
            resolved[0] = (byte) codePoint;
            length = 1;
        } else if (codePoint < 0x800) {
            resolved[0] = (byte) (0xC0 | codePoint >> 6);
            length = 2;
        } else if (codePoint < 0x10000) {
            resolved[0] = (byte) (0xE0 | codePoint >> 12);
            length = 3;
        } else {
            resolved[0] = (byte) (0xF0 | codePoint >> 18);
            length = 4;
        }
        for (int i = 1; i < length; i++) {
            resolved[i] = (byte) (0x80 | codePoint >> 6 * (length - 1 - i) & 0x3F);
        }
        sink.bytes(resolved, 0, length);
    }
}
