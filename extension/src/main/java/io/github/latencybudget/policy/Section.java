package io.github.latencybudget.policy;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A mapping with known keys.
 *
 * @param entries what it says, by key
 */
record Section(Value value, Map<String, Value> entries) {

    /** @throws PolicyException naming the first key that is not known, and the one that may be meant */
    static Section of(Value value, String words, Collection<String> known) {
        Map<String, Value> entries =
                value.entries(String.format(Locale.ROOT, "%s has keys of its own: %s", words, list(known)));
        for (Map.Entry<String, Value> entry : entries.entrySet()) {
            if (!known.contains(entry.getKey())) {
                throw value.keyPosition(entry.getKey())
                        .error(String.format(
                                Locale.ROOT,
                                "`%s` is not known; did you mean `%s`? %s has %s",
                                entry.getValue().path(),
                                Nearest.of(entry.getKey(), known),
                                words,
                                list(known)));
            }
        }
        return new Section(value, entries);
    }

    Optional<Value> get(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    /** @throws PolicyException where there is no such key */
    Value require(String key, String nextStep) {
        return get(key).orElseThrow(() -> value.position()
                .error(String.format(
                        Locale.ROOT,
                        "`%s` is missing; %s",
                        value.path().isEmpty() ? key : value.path() + "." + key,
                        nextStep)));
    }

    static String list(Collection<String> names) {
        return names.stream()
                .map(n -> "`" + n + "`")
                .reduce((a, b) -> a + ", " + b)
                .orElse("none");
    }

    /** {@return the texts of a list, each once} */
    static List<String> texts(Value value, String allowed) {
        List<String> texts =
                value.list().stream().map(v -> v.text(allowed)).distinct().toList();
        value.require(!texts.isEmpty(), allowed);
        return texts;
    }
}
