package io.github.latencybudget.trace;

import java.util.Locale;
import org.apiguardian.api.API;

/** Makes a foreign text fit for records, reports and terminals: one line, of a length that can be read. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class OneLine {

    /** Enough for what one request says. */
    private static final int LONGEST = 500;

    private OneLine() {}

    /** {@return the text on one line, without control characters, and cut where it is too long to be read} */
    public static String of(String text) {
        return of(text, LONGEST);
    }

    /** {@return the same, cut only beyond {@code most} characters} */
    public static String of(String text, int most) {
        String start = text.substring(0, Math.min(text.length(), 4 * most));
        String line = start.strip().replaceAll("\\s+", " ").replaceAll("\\p{Cc}", "\uFFFD");
        return line.length() <= most && start.length() == text.length()
                ? line
                : String.format(
                        Locale.ROOT,
                        "%s... (%d characters)",
                        line.substring(0, Math.min(line.length(), most)),
                        text.length());
    }

    /** {@return what an exception says, cut beyond {@code most} characters, or its class where it says nothing} */
    public static String of(Throwable thrown, int most) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : of(message, most);
    }
}
