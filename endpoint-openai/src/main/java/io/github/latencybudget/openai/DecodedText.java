package io.github.latencybudget.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A text without white space, as it reads once it is decoded. Each character knows the place in the original text that it came from.
 */
final class DecodedText {

    private static final Map<String, Character> ENTITIES =
            Map.of("&amp;", '&', "&lt;", '<', "&gt;", '>', "&quot;", '"', "&apos;", '\'');
    private static final int LONGEST_ENTITY = 10;

    /** As many as the shortest secret takes in Base64. */
    private static final int LEAST_BASE64 = 6;

    private static final int BITS_OF_BASE64 = 6;

    private final char[] characters;
    private final int[] from;
    private final int[] to;
    private int length;

    private DecodedText(int capacity) {
        this.characters = new char[capacity];
        this.from = new int[capacity];
        this.to = new int[capacity];
    }

    static DecodedText of(String text) {
        DecodedText read = new DecodedText(text.length());
        for (int i = 0; i < text.length(); i++) {
            read.add(text.charAt(i), i, i + 1);
        }
        return read;
    }

    /** Keys have none of what is left out, and a server may break a line or put an invisible character anywhere. */
    private void add(char c, int begin, int end) {
        boolean isBlank = Character.isWhitespace(c)
                || Character.isSpaceChar(c)
                || Character.isISOControl(c)
                || Character.getType(c) == Character.FORMAT;
        if (!isBlank) {
            characters[length] = c;
            from[length] = begin;
            to[length] = end;
            length++;
        }
    }

    int length() {
        return length;
    }

    /** {@return where in the original text a character begins} */
    int from(int index) {
        return from[index];
    }

    /** {@return where in the original text a character ends} */
    int to(int index) {
        return to[index];
    }

    /** {@return the characters, with no difference between capitals and small letters} */
    String folded() {
        char[] folded = new char[length];
        for (int i = 0; i < length; i++) {
            folded[i] = Character.toLowerCase(Character.toUpperCase(characters[i]));
        }
        return new String(folded);
    }

    /** {@return the same without the {@code +} that stands for a space in a form} */
    DecodedText withoutPlus() {
        DecodedText result = new DecodedText(length);
        for (int i = 0; i < length; i++) {
            if (characters[i] != '+') {
                result.add(characters[i], from[i], to[i]);
            }
        }
        return result;
    }

    @Override
    public String toString() {
        return new String(characters, 0, length);
    }

    /** {@return the same after one more round of decoding the escapes of URLs, JSON and HTML; as long where there are none} */
    DecodedText decoded() {
        DecodedText result = new DecodedText(length);
        int i = 0;
        while (i < length) {
            int used = switch (characters[i]) {
                case '\\' -> backslash(i, result);
                case '%' -> percent(i, result);
                case '&' -> entity(i, result);
                default -> 0;
            };
            if (used == 0) {
                result.add(characters[i], from[i], to[i]);
                used = 1;
            }
            i += used;
        }
        return result;
    }

    private int backslash(int at, DecodedText result) {
        if (at + 1 >= length) {
            return 0;
        }
        char escape = Character.toLowerCase(characters[at + 1]);
        return switch (escape) {
            case 'u' -> number(at, 2, 4, result);
            case 'x' -> number(at, 2, 2, result);
            case 'n', 'r', 't', 'b', 'f' -> put(' ', at, 2, result);
            case '/', '\\', '"', '\'' -> put(escape, at, 2, result);
            default -> 0;
        };
    }

    private int percent(int at, DecodedText result) {
        boolean isLong = at + 1 < length && Character.toLowerCase(characters[at + 1]) == 'u';
        if (isLong) {
            return number(at, 2, 4, result);
        }
        int value = at + 2 < length ? number(at + 1, at + 3, 16) : -1;
        return value < 0 ? 0 : put(ofByte(value), at, 3, result);
    }

    /** Keys are ASCII; what is not may be an invisible character in UTF-8. */
    private static char ofByte(int value) {
        return value > '~' ? ' ' : (char) value;
    }

    private int number(int at, int skipped, int digits, DecodedText result) {
        int end = at + skipped + digits;
        int value = end <= length ? number(at + skipped, end, 16) : -1;
        return value < 0 ? 0 : put((char) value, at, end - at, result);
    }

    private int entity(int at, DecodedText result) {
        int end = at + 1;
        while (end < length && end - at < LONGEST_ENTITY && characters[end] != ';') {
            end++;
        }
        if (end >= length || characters[end] != ';') {
            return 0;
        }
        int used = end + 1 - at;
        if (at + 2 < end && characters[at + 1] == '#') {
            boolean isHex = Character.toLowerCase(characters[at + 2]) == 'x';
            int value = number(at + (isHex ? 3 : 2), end, isHex ? 16 : 10);
            return value < 0 || value > Character.MAX_VALUE ? 0 : put((char) value, at, used, result);
        }
        Character named = ENTITIES.get(new String(characters, at, used).toLowerCase(Locale.ROOT));
        return named == null ? 0 : put(named, at, used, result);
    }

    /** {@return the number in these digits; negative where they are none} */
    private int number(int begin, int end, int radix) {
        int value = begin < end ? 0 : -1;
        for (int i = begin; i < end && value >= 0; i++) {
            int digit = Character.digit(characters[i], radix);
            value = digit < 0 ? -1 : Math.min(value * radix + digit, 1 << 20);
        }
        return value;
    }

    private int put(char c, int at, int used, DecodedText result) {
        result.add(c, from[at], to[at + used - 1]);
        return used;
    }

    /** {@return what each run of letters and digits holds if it is Base64, ordinary or for URLs, that began at any of its characters} */
    List<DecodedText> fromBase64() {
        List<DecodedText> all = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i <= length; i++) {
            if (i == length || base64(characters[i]) < 0) {
                for (int first = begin; first < begin + 4 && i - first >= LEAST_BASE64; first++) {
                    all.add(fromBase64(first, i));
                }
                begin = i + 1;
            }
        }
        return all;
    }

    private DecodedText fromBase64(int begin, int end) {
        DecodedText result = new DecodedText(end - begin);
        int bits = 0;
        int many = 0;
        for (int i = begin; i < end; i++) {
            bits = (bits << BITS_OF_BASE64 | base64(characters[i])) & 0xFFFF;
            many += BITS_OF_BASE64;
            if (many >= Byte.SIZE) {
                many -= Byte.SIZE;
                result.add(ofByte(bits >> many & 0xFF), from[i - 1], to[i]);
            }
        }
        return result;
    }

    private static int base64(char c) {
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        }
        if (c >= 'a' && c <= 'z') {
            return c - 'a' + 26;
        }
        if (c >= '0' && c <= '9') {
            return c - '0' + 52;
        }
        return switch (c) {
            case '+', '-' -> 62;
            case '/', '_' -> 63;
            default -> -1;
        };
    }
}
