package io.github.latencybudget.trace;

import java.util.Locale;
import java.util.regex.Pattern;
import org.apiguardian.api.API;

/** Words for messages that do not repeat a key that somebody wrote into the wrong place. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Guarded {

    /** A number with or without a unit, or a few words of letters alone. Keys have digits among their letters, or capitals anywhere. */
    private static final Pattern PLAIN = Pattern.compile(
            "[+-]?\\d{1,7}(\\.\\d{1,7})?(%| ?[A-Za-z]{1,3})?|[A-Za-z]{1,7}|[A-Za-z]?[a-z]{1,14}([A-Z][a-z]{1,14}){0,3}");

    /** A password may hold any character, and a query, a fragment or what is put in their place any key. */
    private static final Pattern USER = Pattern.compile("://.*@");

    private static final Pattern USER_WITHOUT_SCHEME = Pattern.compile("^openai:(?!.*://).*@");

    private Guarded() {}

    /** {@return a model, a URL among them, without user, password, query and fragment} */
    public static String model(String model) {
        boolean isUrl = model.startsWith("openai:") || model.contains("://");
        String address = model.split(isUrl ? "[?#&;]" : "\\?", 2)[0];
        return USER_WITHOUT_SCHEME
                .matcher(USER.matcher(address).replaceFirst("://"))
                .replaceFirst("openai:");
    }

    /** {@return whether a text is a number or a word, which can be repeated} */
    public static boolean isPlain(String text) {
        return PLAIN.matcher(text).matches();
    }

    /** {@return {@code name = value}, or the name and why the value is not printed} */
    public static String setting(String name, String value) {
        return isPlain(value) ? String.format(Locale.ROOT, "%s = %s", name, value) : unsaid(name);
    }

    /** {@return the name, and that its value is not printed} */
    public static String unsaid(String name) {
        return String.format(Locale.ROOT, "%s (its value is not printed, because it may be a key)", name);
    }

    /** {@return an option's name after the word {@code option}, or why it is not printed} */
    public static String option(String name) {
        return isPlain(name)
                ? "option " + name
                : "one of the options (its name is not printed, because it may be a key)";
    }
}
