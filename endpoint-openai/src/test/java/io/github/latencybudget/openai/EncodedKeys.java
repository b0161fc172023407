package io.github.latencybudget.openai;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

/** Draws keys, and the ways in which a server may repeat them. */
public final class EncodedKeys {

    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/+.";

    private final Random random;

    public EncodedKeys(long seed) {
        this.random = new Random(seed);
    }

    public String key(int length) {
        return random.ints(length, 0, ALPHABET.length())
                .mapToObj(i -> ALPHABET.substring(i, i + 1))
                .collect(Collectors.joining());
    }

    public int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    /** {@return the text with every character in an encoding of its own} */
    public String mixed(String key) {
        return key.chars().mapToObj(c -> mixed((char) c)).collect(Collectors.joining());
    }

    private String mixed(char c) {
        return switch (c > '~' ? -1 : random.nextInt(11)) {
            case 0 -> hex("\\u%04x", c);
            case 1 -> hex("\\x%02x", c);
            case 2 -> hex("%%%02x", c);
            case 3 -> hex("&#x%x;", c);
            case 4 -> hex("&#%d;", c);
            case 5 -> hex("%%25%02x", c);
            case 6 -> hex("\\\\u%04X", c);
            case 7 -> c == '/' ? "\\/" : String.valueOf(c).toUpperCase(Locale.ROOT);
            case 8 -> c + " ";
            case 9 -> c + "\u200B";
            default -> String.valueOf(c).toLowerCase(Locale.ROOT);
        };
    }

    private String hex(String format, char c) {
        String escape = String.format(Locale.ROOT, format, (int) c);
        return random.nextBoolean() ? escape : escape.toUpperCase(Locale.ROOT);
    }

    /** {@return the text as a whole in one encoding, and that in another one} */
    public String nested(String key) {
        return once(once(key));
    }

    private String once(String text) {
        return switch (random.nextInt(9)) {
            case 0 -> URLEncoder.encode(text, StandardCharsets.UTF_8);
            case 1 -> text.replace("\\", "\\\\").replace("/", "\\/");
            case 2 -> base64(text, Base64.getEncoder());
            case 3 -> base64(text, Base64.getUrlEncoder());
            case 4 -> base64(text, Base64.getUrlEncoder().withoutPadding());
            case 5 -> base64(key(between(1, 7)) + ":" + text, Base64.getMimeEncoder(8, new byte[] {'\n'}));
            case 6 -> mixed(text);
            case 7 -> text.replace("&", "&amp;").replace("/", "&#47;");
            default -> text;
        };
    }

    private static String base64(String text, Base64.Encoder encoder) {
        return encoder.encodeToString(text.replace("\u200B", "").getBytes(StandardCharsets.ISO_8859_1));
    }
}
