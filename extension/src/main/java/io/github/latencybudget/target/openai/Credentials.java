package io.github.latencybudget.target.openai;

import io.github.latencybudget.target.MeasurementException;
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

/** The headers that a request carries beside its own. Their values are told to nobody but the server. */
final class Credentials {

    private static final List<String> OWN =
            List.of("host", "content-length", "content-type", "transfer-encoding", "accept", "connection");

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
        values.withPrefix("header.").forEach((name, value) -> put(headers, known, name, value));
        values.withPrefix("headerEnv.")
                .forEach((name, variable) ->
                        put(headers, known, name, variable(environment, "headerEnv." + name, variable)));
        Optional<String> variable = values.get("keyEnv");
        Optional<Path> file = values.file("keyFile");
        if (variable.isPresent() && file.isPresent()) {
            throw new MeasurementException("options keyEnv and keyFile both name a key: leave one out");
        }
        variable.map(v -> variable(environment, "keyEnv", v))
                .or(() -> file.map(Credentials::read))
                .ifPresent(key -> {
                    known.add(key);
                    put(headers, known, "Authorization", "Bearer " + key);
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
                    Locale.ROOT,
                    "option %s names no environment variable: name the variable, never the key itself",
                    option));
        }
        return environment
                .apply(name)
                .map(String::strip)
                .filter(v -> !v.isEmpty())
                .orElseThrow(() -> new MeasurementException(String.format(
                        Locale.ROOT,
                        "option %s names an environment variable that is not set%s: export it where the tests run",
                        option,
                        name.equals(name.toUpperCase(Locale.ROOT)) && name.length() <= 40 ? " (" + name + ")" : "")));
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
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "option keyFile = %s cannot be read%s",
                            file,
                            IoFault.because(e, "correct it")),
                    e);
        }
    }

    private static void put(SortedMap<String, String> headers, List<String> known, String name, String value) {
        if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || OWN.contains(name.toLowerCase(Locale.ROOT))) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "header %s cannot be set: it is no name of a header, or one that the request has itself",
                    name));
        }
        if (value.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "header %s: its value has characters that no header may have", name));
        }
        known.add(value);
        if (headers.put(name, value) != null) {
            throw new MeasurementException(String.format(Locale.ROOT, "header %s is given twice: leave one out", name));
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
