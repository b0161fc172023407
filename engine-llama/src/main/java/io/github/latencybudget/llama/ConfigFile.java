package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.inference.MeasurementException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads Hugging Face's {@code config.json}, and refuses by name what the program does not compute. */
final class ConfigFile {

    /** Far above any model, and low enough that the context stays a whole number. */
    private static final int MOST_SCALED = 1000;

    private final Path file;
    private final JsonNode root;

    private ConfigFile(Path file, JsonNode root) {
        this.file = file;
        this.root = root;
    }

    /**
     * @param folder a model's folder
     * @throws MeasurementException where there is no such file, or it describes something else than a Llama model
     */
    static LlamaConfig read(Path folder) {
        Path file = folder.resolve("config.json");
        if (!Files.isRegularFile(file)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "folder %s has no config.json: name a folder in the Hugging Face layout (config.json, *.safetensors)",
                    folder));
        }
        JsonNode root = JsonFile.read(file);
        if (!root.isObject()) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s is not a JSON object: download it again", file));
        }
        return new ConfigFile(file, root).config(folder);
    }

    private LlamaConfig config(Path folder) {
        refuseOtherModels();
        int hidden = integer("hidden_size", null);
        int heads = integer("num_attention_heads", null);
        int headDim = integer("head_dim", heads > 0 ? hidden / heads : hidden);
        if (heads > 0 && !present(root, "head_dim") && hidden % heads != 0) {
            throw wrong("hidden_size", hidden, "must be a multiple of num_attention_heads = " + heads);
        }
        Rope rope = rope();
        return new LlamaConfig(
                String.valueOf(folder.toAbsolutePath().normalize().getFileName()),
                hidden,
                integer("intermediate_size", null),
                integer("num_hidden_layers", null),
                heads,
                integer("num_key_value_heads", heads),
                headDim,
                integer("vocab_size", null),
                // the length before scaling, as FastChat writes it and vLLM reads it
                (int) (integer("max_position_embeddings", 2048) * rope.factor()),
                number(root, "rms_norm_eps", 1e-6),
                rope.theta(),
                rope.factor(),
                flag("tie_word_embeddings"),
                integer("bos_token_id", 1),
                eos());
    }

    private void refuseOtherModels() {
        String architecture = root.path("architectures").path(0).asText("");
        String type = root.path("model_type").asText("");
        if (!architecture.isEmpty() && !architecture.equals("LlamaForCausalLM")) {
            throw wrong("architectures", architecture, "must be LlamaForCausalLM");
        }
        if (!type.isEmpty() && !type.equals("llama")) {
            throw wrong("model_type", type, "must be llama");
        }
        if (architecture.isEmpty() && type.isEmpty()) {
            throw wrong("model_type", "(absent)", "must be llama");
        }
        String activation = root.path("hidden_act").asText("silu");
        if (!activation.equals("silu")) {
            throw wrong("hidden_act", activation, "must be silu");
        }
        for (String bias : List.of("attention_bias", "mlp_bias")) {
            if (flag(bias)) {
                throw wrong(bias, true, "must be false: biases are not computed");
            }
        }
        if (present(root, "quantization_config")) {
            String method =
                    root.path("quantization_config").path("quant_method").asText("(unnamed)");
            throw wrong("quantization_config.quant_method", method, "must be absent: use unquantised weights");
        }
    }

    /** How positions turn queries and keys. */
    private record Rope(double theta, double factor) {}

    /** Before version 5, transformers kept the base beside {@code rope_scaling}; since then both are {@code rope_parameters}. */
    private Rope rope() {
        Rope rope = new Rope(number(root, "rope_theta", 10000), 1);
        for (String name : List.of("rope_scaling", "rope_parameters")) {
            if (present(root, name)) {
                rope = rope(name, root.path(name), rope.theta());
            }
        }
        double share = number(root, "partial_rotary_factor", 1);
        if (share != 1) {
            throw wrong("partial_rotary_factor", share, "must be 1: a head is turned as a whole");
        }
        return rope;
    }

    private Rope rope(String name, JsonNode node, double theta) {
        if (!node.isObject()) {
            throw wrong(name, node, "must be an object or null");
        }
        // the older spelling is "type"
        String key = present(node, "type") && !present(node, "rope_type") ? "type" : "rope_type";
        String type = node.path(key).asText(node.has("factor") ? "(absent)" : "default");
        double factor = switch (type) {
            case "default" -> 1;
            case "linear" -> number(node, "factor", Double.NaN);
            default ->
                throw wrong(name + "." + key, type, "must be default or linear: other scalings are not computed");
        };
        if (!(factor >= 1 && factor <= MOST_SCALED)) {
            throw wrong(
                    name + ".factor",
                    Double.isNaN(factor) ? "(absent)" : factor,
                    "must be a number from 1 to " + MOST_SCALED);
        }
        double share = number(node, "partial_rotary_factor", 1);
        if (share != 1) {
            throw wrong(name + ".partial_rotary_factor", share, "must be 1: a head is turned as a whole");
        }
        return new Rope(number(node, "rope_theta", theta), factor);
    }

    private Set<Integer> eos() {
        JsonNode node = root.path("eos_token_id");
        if (!node.isArray()) {
            return root.has("eos_token_id") && node.isNull() ? Set.of() : Set.of(integer("eos_token_id", 2));
        }
        Set<Integer> ids = new HashSet<>();
        for (JsonNode id : node) {
            ids.add(integer(id, "eos_token_id"));
        }
        return ids;
    }

    private int integer(String name, @Nullable Integer absent) {
        if (present(root, name)) {
            return integer(root.path(name), name);
        }
        if (absent == null) {
            throw wrong(name, "(absent)", "must be a whole number");
        }
        return absent;
    }

    private int integer(JsonNode node, String name) {
        if (!node.isInt()) {
            throw wrong(name, node, "must be a whole number");
        }
        return node.intValue();
    }

    private double number(JsonNode parent, String name, double absent) {
        if (!present(parent, name)) {
            return absent;
        }
        JsonNode node = parent.path(name);
        if (!node.isNumber()) {
            throw wrong(name, node, "must be a number");
        }
        return node.doubleValue();
    }

    private boolean flag(String name) {
        JsonNode node = root.path(name);
        if (present(root, name) && !node.isBoolean()) {
            throw wrong(name, node, "must be true or false");
        }
        return node.asBoolean(false);
    }

    private static boolean present(JsonNode parent, String name) {
        return parent.hasNonNull(name);
    }

    private MeasurementException wrong(String name, Object value, String rule) {
        return new MeasurementException(String.format(
                Locale.ROOT,
                "%s: %s = %s %s; choose a model that this target computes, or correct the file",
                file,
                name,
                value,
                rule));
    }
}
