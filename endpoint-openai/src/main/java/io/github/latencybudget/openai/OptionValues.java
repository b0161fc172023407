package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.Guarded;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options by name, from the spec and from the query of its URL. Values are not repeated where they may be keys.
 *
 * @param values by name
 */
record OptionValues(SortedMap<String, String> values) {

    private static final List<String> NAMES = List.of(
            "api",
            "betweenTokensSeconds",
            "certificates",
            "connectSeconds",
            "firstTokenSeconds",
            "hardware",
            "http2",
            "keyEnv",
            "keyFile",
            "metrics",
            "model",
            "prefixCache",
            "proxy",
            "requestSeconds",
            "server",
            "stream",
            "tokenizer");

    private static final List<String> PREFIXES = List.of("body.", "header.", "headerEnv.");

    static OptionValues of(Map<String, String> options, String query) {
        SortedMap<String, String> values = new TreeMap<>(options);
        for (String pair : query.split("&")) {
            if (!pair.isEmpty()) {
                String[] nameAndValue = pair.split("=", 2);
                String name = decoded(nameAndValue[0]);
                if (values.put(name, decoded(nameAndValue.length == 2 ? nameAndValue[1] : "")) != null) {
                    throw new MeasurementException(
                            String.format(Locale.ROOT, "%s is given twice: leave one out", shown(name)));
                }
            }
        }
        values.keySet().forEach(OptionValues::requireKnown);
        return new OptionValues(values);
    }

    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new MeasurementException("the query of the endpoint's URL has a malformed %-escape: correct it");
        }
    }

    private static void requireKnown(String name) {
        if (!isKnown(name)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s is not known to the endpoint: its options are %s, and body.NAME, header.NAME, headerEnv.NAME",
                    shown(name),
                    String.join(", ", NAMES)));
        }
    }

    private static boolean isKnown(String name) {
        return NAMES.contains(name)
                || PREFIXES.stream().anyMatch(p -> name.startsWith(p) && name.length() > p.length());
    }

    private static String shown(String name) {
        return NAMES.contains(name)
                ? "option " + name
                : PREFIXES.stream()
                        .filter(name::startsWith)
                        .map(prefix -> shown(prefix, name.substring(prefix.length())))
                        .findFirst()
                        .orElseGet(() -> Guarded.option(name));
    }

    /** {@return an option with a name of the user's own, as a message may name it} */
    static String shown(String prefix, String name) {
        boolean isPlain = Stream.of(name.split("[-_.]", -1)).allMatch(OptionValues::isWord);
        return isPlain
                ? "option " + prefix + name
                : String.format(
                        Locale.ROOT, "option %sNAME (the name is not printed, because it may be a key)", prefix);
    }

    private static boolean isWord(String part) {
        return Guarded.isPlain(part) && part.chars().noneMatch(Character::isDigit);
    }

    Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name)).filter(v -> !v.isBlank());
    }

    /** {@return one of the allowed values; the first where it is not set} */
    String oneOf(String name, List<String> allowed) {
        String value = get(name).orElse(allowed.get(0));
        if (!allowed.contains(value)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "option %s is not allowed: use %s",
                    Guarded.setting(name, value),
                    String.join(" or ", allowed)));
        }
        return value;
    }

    /** {@return the values whose names begin like this, by what follows} */
    SortedMap<String, String> withPrefix(String prefix) {
        return values.entrySet().stream()
                .filter(e -> e.getKey().startsWith(prefix))
                .collect(Collectors.toMap(
                        e -> e.getKey().substring(prefix.length()), Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }

    /** {@return a file that is there} */
    Optional<Path> file(String name) {
        return get(name).map(value -> {
            try {
                Path path = Path.of(value);
                if (Files.isRegularFile(path) && Files.isReadable(path)) {
                    return path;
                }
            } catch (InvalidPathException e) {
                // Refused as any other file that is not there.
            }
            if (!name.equals("keyFile") && value.matches(".*\\.(json|pem|crt|cer)")) {
                throw new MeasurementException(String.format(
                        Locale.ROOT, "option %s = %s is no file that can be read: correct it", name, value));
            }
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "option %s names no file that can be read (its value is not printed, because it may be the key itself); correct its path, and see that this user may read it",
                    name));
        });
    }
}
