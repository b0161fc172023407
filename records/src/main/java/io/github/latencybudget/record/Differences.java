package io.github.latencybudget.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.trace.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** How what a record says differs from what follows from its raw times. */
final class Differences {

    private static final int MOST = 20;
    private static final int MOST_CHARACTERS = 200;

    /** Logarithms differ by their last digits from one processor to another. */
    private static final double TOLERANCE = 1e-9;

    private final List<String> sentences = new ArrayList<>();

    private Differences() {}

    /**
     * {@return a sentence for each of the first differences}
     *
     * @param name of what is compared
     */
    static List<String> between(String name, Object recorded, Object now) {
        if (recorded.equals(now)) {
            return List.of();
        }
        Differences differences = new Differences();
        // As JSON, in which what is no number is absent on both sides.
        differences.add(name, Json.MAPPER.valueToTree(recorded), Json.MAPPER.valueToTree(now));
        return differences.sentences;
    }

    private void add(String name, JsonNode recorded, JsonNode now) {
        if (recorded.isObject() && now.isObject()) {
            Set<String> names = new TreeSet<>();
            recorded.fieldNames().forEachRemaining(names::add);
            now.fieldNames().forEachRemaining(names::add);
            names.forEach(n -> add(name + "." + n, recorded.path(n), now.path(n)));
        } else if (recorded.isArray() && now.isArray() && recorded.size() == now.size()) {
            for (int i = 0; i < recorded.size(); i++) {
                add(String.format(Locale.ROOT, "%s[%d]", name, i), recorded.get(i), now.get(i));
            }
        } else if (!areSame(recorded, now) && sentences.size() < MOST) {
            sentences.add(String.format(
                    Locale.ROOT,
                    "%s: the record says %s, and its times and budget give %s",
                    name,
                    text(recorded),
                    text(now)));
        }
    }

    private static boolean areSame(JsonNode recorded, JsonNode now) {
        if (recorded.isNumber() && now.isNumber()) {
            double one = recorded.asDouble();
            double other = now.asDouble();
            return one == other || Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
        }
        return recorded.equals(now);
    }

    private static String text(JsonNode node) {
        return OneLine.of(node.isMissingNode() ? "nothing" : node.toString(), MOST_CHARACTERS);
    }
}
