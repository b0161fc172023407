package io.github.latencybudget.trace;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Shows characters that would act instead of being seen. A control character makes the XML of a build's test report not
 * well-formed, or moves a terminal's cursor; a bidirectional control turns round the text after it; one without width hides. Each
 * is shown as {@code \}{@code uXXXX}, so that nothing is lost. All other characters stay as they are.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Visible {

    /** By number, not by the properties of Unicode: those differ between versions of Java. */
    private static final Pattern HIDDEN = Pattern.compile("["
            // control characters, without tab and line feed
            + "\\x00-\\x08\\x0B-\\x1F\\x7F-\\x9F"
            // of no width, or that look like a space
            + "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u3164\\uFEFF\\uFFA0"
            // line separators, bidirectional controls, invisible operators
            + "\\u2028-\\u202E\\u2060-\\u206F"
            // surrogates without their other half, which a pair is not
            + "\\uD800-\\uDFFF"
            // annotations, and what is no character
            + "\\uFFF0-\\uFFFB\\uFFFE\\uFFFF"
            // tags
            + "\\x{E0000}-\\x{E0FFF}]");

    private Visible() {}

    /** {@return whether a text is shown as it is} */
    public static boolean isVisible(String text) {
        return !HIDDEN.matcher(text).find();
    }

    /** {@return a text of one or several lines, of visible characters} */
    public static String text(String text) {
        return HIDDEN.matcher(text.replace("\r\n", "\n"))
                .replaceAll(found -> "\\\\"
                        + found.group()
                                .chars()
                                .mapToObj(c -> String.format(Locale.ROOT, "u%04X", c))
                                .collect(Collectors.joining("\\\\")));
    }

    /** {@return the same on one line} */
    public static String line(String text) {
        return text(text.strip().replaceAll("\\R", " ").replace('\t', ' '));
    }

    /**
     * {@return an exception whose stack trace prints visible characters only, causes and suppressed ones included: itself where it
     * does already}
     */
    public static @Nullable Throwable of(@Nullable Throwable thrown) {
        return thrown == null || isVisible(thrown, new HashSet<>()) ? thrown : Shown.of(thrown, new HashSet<>());
    }

    private static boolean isVisible(@Nullable Throwable thrown, Set<Throwable> seen) {
        if (thrown == null || !seen.add(thrown)) {
            return true;
        }
        boolean isVisible = isVisible(String.valueOf(thrown)) && isVisible(thrown.getCause(), seen);
        for (Throwable other : thrown.getSuppressed()) {
            isVisible &= isVisible(other, seen);
        }
        return isVisible;
    }

    /** Stands in for an exception, whose message nobody can change. Prints as that one does. */
    private static final class Shown extends Exception {

        private static final long serialVersionUID = 1L;

        private final String shown;

        private Shown(Throwable thrown, @Nullable Throwable cause) {
            super(thrown.getMessage() == null ? null : text(thrown.getMessage()), cause);
            shown = text(thrown.toString());
            setStackTrace(thrown.getStackTrace());
        }

        private static @Nullable Throwable of(@Nullable Throwable thrown, Set<Throwable> seen) {
            if (thrown == null || !seen.add(thrown)) {
                return null;
            }
            Shown stand = new Shown(thrown, of(thrown.getCause(), seen));
            for (Throwable other : thrown.getSuppressed()) {
                Throwable suppressed = of(other, seen);
                if (suppressed != null) {
                    stand.addSuppressed(suppressed);
                }
            }
            return stand;
        }

        @Override
        public String toString() {
            return shown;
        }
    }
}
