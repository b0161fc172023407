package io.github.latencybudget.trace;

import java.util.Locale;
import org.apiguardian.api.API;

/** Makes a foreign text fit for records, reports and terminals: one line, of a length that can be read. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class OneLine {

    /** Enough for what one request says. */
    private static final int LONGEST = 500;

    private OneLine() {}

    /** {@return the text on one line, of visible characters, and cut where it is too long to be read} */
    public static String of(String text) {
        return of(text, LONGEST);
    }

    /** {@return the same, cut only beyond {@code most} of its characters} */
    public static String of(String text, int most) {
        String start = start(text, 4 * most);
        String line = start.strip().replaceAll("\\s+", " ");
        return line.length() <= most && start.length() == text.length()
                ? Visible.line(line)
                : String.format(Locale.ROOT, "%s... (%d characters)", Visible.line(start(line, most)), text.length());
    }

    /** Cuts no character in two. */
    private static String start(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean isWithin = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, isWithin ? most - 1 : most);
    }

    /** {@return what an exception says, cut beyond {@code most} characters, or its class where it says nothing} */
    public static String of(Throwable thrown, int most) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : of(message, most);
    }
}
