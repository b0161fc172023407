package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Utf8;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The headers that a request carries beside its own. Their values are told to nobody but the server. */
final class Credentials {

    private static final List<String> OWN =
            List.of("host", "content-length", "content-type", "transfer-encoding", "accept", "connection");

    /** Words in capitals, and short numbers after them. A key mixes both. */
    private static final Pattern LIKE_A_NAME = Pattern.compile("[A-Z]{1,20}(_([A-Z]{1,20}|\\d{1,2})){0,5}");

    private static final String KEY = "key";

    private final SortedMap<String, String> headers;
    private final Secrets secrets;
    private final String keySource;

    private Credentials(SortedMap<String, String> headers, Secrets secrets, String keySource) {
        this.headers = headers;
        this.secrets = secrets;
        this.keySource = keySource;
    }

    /**
     * @param others what is to be hidden too
     * @throws MeasurementException where the key's source holds none, or a header cannot be one
     */
    static Credentials of(OptionValues values, Function<String, Optional<String>> environment, List<String> others) {
        SortedMap<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        List<String> known = new ArrayList<>(others);
        values.withPrefix("header.").forEach((name, value) -> put(headers, known, "header.", name, value));
        values.withPrefix("headerEnv.")
                .forEach((name, variable) -> put(
                        headers,
                        known,
                        "headerEnv.",
                        name,
                        variable(environment, OptionValues.shown("headerEnv.", name), variable)));
        Optional<String> variable = values.get("keyEnv");
        Optional<Path> file = values.file("keyFile");
        if (variable.isPresent() && file.isPresent()) {
            throw new MeasurementException("options keyEnv and keyFile both name a key: leave one out");
        }
        variable.map(v -> variable(environment, "option keyEnv", v))
                .or(() -> file.map(Credentials::read))
                .ifPresent(key -> {
                    known.add(key);
                    put(headers, known, KEY, "Authorization", "Bearer " + key);
                });
        String source = variable.map(v -> "the variable " + v)
                .or(() -> file.map(f -> "the file " + f))
                .orElse("");
        return new Credentials(headers, new Secrets(known), source);
    }

    private static String variable(Function<String, Optional<String>> environment, String option, String name) {
        // What is no name may be the key itself.
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "%s names no environment variable: name the variable, never the key itself", option));
        }
        return environment
                .apply(name)
                .map(String::strip)
                .filter(v -> !v.isEmpty())
                .orElseThrow(() -> new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s names an environment variable that is not set%s: export it where the tests run",
                        option,
                        LIKE_A_NAME.matcher(name).matches() ? " (" + name + ")" : "")));
    }

    private static String read(Path file) {
        try {
            String key = Utf8.text(Files.readAllBytes(file)).strip();
            if (key.isEmpty() || key.lines().count() > 1) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "option keyFile = %s: the file holds %s; it is to hold one line, the key",
                        file,
                        key.isEmpty() ? "nothing" : "several lines"));
            }
            return key;
        } catch (Utf8.Fault e) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "option keyFile = %s %s: save it as UTF-8", file, e.getMessage()), e);
        } catch (IOException e) {
            // Without the cause, whose message is no more than the path.
            throw new MeasurementException("option keyFile names a file that cannot be read"
                    + IoFault.because(e, "see that it holds the key in UTF-8, and that this user may read it"));
        }
    }

    private static void put(
            SortedMap<String, String> headers, List<String> known, String prefix, String name, String value) {
        String option = prefix.equals(KEY) ? "the key" : OptionValues.shown(prefix, name);
        if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || OWN.contains(name.toLowerCase(Locale.ROOT))) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s cannot be set: it is no name of a header, or one that the request has itself",
                    option));
        }
        if (value.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s: its value has characters that no header may have", option));
        }
        known.add(value);
        if (headers.put(name, value) != null) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s sets a header that another option sets too: leave one out", option));
        }
    }

    /** {@return none to send, and the same to hide} */
    Credentials withoutHeaders() {
        return new Credentials(new TreeMap<>(), secrets, "");
    }

    /** {@return the headers by name} */
    SortedMap<String, String> headers() {
        return headers;
    }

    /** {@return what hides them} */
    Secrets secrets() {
        return secrets;
    }

    /** {@return where the key is from; empty for no key} */
    String keySource() {
        return keySource;
    }

    /** Says nothing of their values. */
    @Override
    public String toString() {
        return "headers " + headers.keySet();
    }
}
