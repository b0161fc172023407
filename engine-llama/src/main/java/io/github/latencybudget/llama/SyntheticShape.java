package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shapes for weights that are made up: {@code tiny}, {@code llama2-7b}, {@code llama2-7b,layers=2} or
 * {@code hidden=256,intermediate=688,layers=4,heads=8,kvHeads=4,vocab=2048,context=2048}. The shapes of Llama 2 are those of
 * its published {@code config.json} files.
 */
final class SyntheticShape {

    private static final List<String> KEYS =
            List.of("hidden", "intermediate", "layers", "heads", "kvHeads", "vocab", "context");
    private static final Map<String, Preset> PRESETS = presets();

    private SyntheticShape() {}

    private record Preset(String name, List<Integer> values) {}

    private static Map<String, Preset> presets() {
        Map<String, Preset> presets = new LinkedHashMap<>();
        presets.put("tiny", new Preset("tiny", List.of(256, 688, 4, 8, 4, 2048, 2048)));
        presets.put("llama2-7b", new Preset("Llama-2-7b", List.of(4096, 11008, 32, 32, 32, 32000, 4096)));
        presets.put("llama2-13b", new Preset("Llama-2-13b", List.of(5120, 13824, 40, 40, 40, 32000, 4096)));
        presets.put("llama2-70b", new Preset("Llama-2-70b", List.of(8192, 28672, 80, 64, 8, 32000, 4096)));
        return presets;
    }

    /**
     * @param text what follows {@code synthetic:}
     * @throws MeasurementException for a preset or key that does not exist, or a value that makes no model
     */
    static LlamaConfig parse(String text) {
        if (text.indexOf('?') >= 0) {
            throw new MeasurementException(
                    "model = synthetic: and a shape has no query (it is not printed, because it may hold a key): write options as `options` of @InferenceTarget, or by latencybudget.options");
        }
        String[] parts = text.split(",", -1);
        Map<String, Integer> values = new LinkedHashMap<>();
        String name = "Llama";
        int first = 0;
        if (!parts[0].contains("=")) {
            Preset preset = preset(parts[0].strip());
            name = preset.name();
            for (int i = 0; i < KEYS.size(); i++) {
                values.put(KEYS.get(i), preset.values().get(i));
            }
            first = 1;
        }
        StringBuilder suffix = new StringBuilder();
        for (int i = first; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            String key = pair[0].strip();
            if (!KEYS.contains(key)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "model synthetic:%s has no key \"%s\": did you mean %s? The keys are %s",
                        text,
                        key,
                        nearest(key, KEYS),
                        String.join(", ", KEYS)));
            }
            int value = value(text, key, pair.length == 2 ? pair[1].strip() : "");
            values.put(key, value);
            suffix.append(i == first ? " (" : ", ").append(key).append(' ').append(value);
        }
        if (!suffix.isEmpty()) {
            suffix.append(')');
        }
        return config(text, name + suffix, values);
    }

    private static LlamaConfig config(String text, String name, Map<String, Integer> values) {
        int hidden = required(text, values, "hidden");
        int heads = required(text, values, "heads");
        if (hidden % heads != 0) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "model synthetic:%s: hidden = %d must be a multiple of heads = %d",
                    text,
                    hidden,
                    heads));
        }
        Integer kvHeads = values.get("kvHeads");
        return new LlamaConfig(
                name,
                hidden,
                required(text, values, "intermediate"),
                required(text, values, "layers"),
                heads,
                kvHeads == null ? heads : kvHeads,
                hidden / heads,
                required(text, values, "vocab"),
                required(text, values, "context"),
                1e-5,
                10000,
                1,
                false,
                1,
                Set.of(2));
    }

    private static Preset preset(String name) {
        Preset preset = PRESETS.get(name);
        if (preset == null) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "model synthetic:%s is not known: did you mean synthetic:%s? The shapes are %s, or give %s=...",
                    name,
                    nearest(name, List.copyOf(PRESETS.keySet())),
                    String.join(", ", PRESETS.keySet()),
                    String.join("=...,", KEYS)));
        }
        return preset;
    }

    private static int required(String text, Map<String, Integer> values, String key) {
        @Nullable Integer value = values.get(key);
        if (value == null) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "model synthetic:%s lacks %s: give it, or start from a named shape such as synthetic:tiny",
                    text,
                    key));
        }
        return value;
    }

    private static int value(String text, String key, String value) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 1) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below, together with numbers that are too small
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "model synthetic:%s: %s = %s must be a whole number from 1 on",
                text,
                key,
                value.isEmpty() ? "(empty)" : value));
    }

    private static String nearest(String name, List<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(k -> distance(name, k)))
                .orElseThrow();
    }

    /** Levenshtein's distance: the number of letters to insert, delete or replace. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replace, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
