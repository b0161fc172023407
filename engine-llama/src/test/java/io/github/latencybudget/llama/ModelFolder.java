package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Writes a small random model in the Hugging Face layout. Its numbers are exact in F32, F16 and BF16, so that one reference
 * holds for all three.
 *
 * @param config what {@code config.json} says
 * @param dtype the type in the files
 * @param shards how many files
 */
record ModelFolder(Map<String, Object> config, Dtype dtype, int shards) {

    private static final int LARGEST = 255;

    /** Grouped-query attention, and a head of its own. */
    static ModelFolder grouped(Dtype dtype, int shards) {
        return new ModelFolder(config(64, 160, 3, 4, 2, 300, false), dtype, shards);
    }

    /** The embedding as head, as many keys as queries, heads wider than the stream divided, another RoPE base. */
    static ModelFolder tied() {
        Map<String, Object> config = config(48, 96, 2, 4, 4, 100, true);
        config.put("head_dim", 16);
        config.put("rope_parameters", Map.of("rope_type", "default", "rope_theta", 500000.0));
        return new ModelFolder(config, Dtype.FP32, 1);
    }

    /** Positions divided by four, in the spelling of the fine-tunes that do so. */
    static ModelFolder scaled() {
        Map<String, Object> config = config(64, 160, 2, 4, 2, 100, false);
        config.put("rope_scaling", Map.of("type", "linear", "factor", 4.0));
        return new ModelFolder(config, Dtype.FP32, 1);
    }

    private static Map<String, Object> config(
            int hidden, int intermediate, int layers, int heads, int kvHeads, int vocabulary, boolean tied) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("architectures", List.of("LlamaForCausalLM"));
        config.put("model_type", "llama");
        config.put("hidden_act", "silu");
        config.put("hidden_size", hidden);
        config.put("intermediate_size", intermediate);
        config.put("num_hidden_layers", layers);
        config.put("num_attention_heads", heads);
        config.put("num_key_value_heads", kvHeads);
        config.put("vocab_size", vocabulary);
        config.put("max_position_embeddings", 128);
        config.put("rms_norm_eps", 1e-5);
        config.put("tie_word_embeddings", tied);
        config.put("bos_token_id", 1);
        config.put("eos_token_id", 2);
        return config;
    }

    /** The prompt that the reference was computed for. */
    long[] ids() {
        long[] ids = new long[16];
        int vocabulary = (int) config.get("vocab_size");
        ids[0] = 1;
        for (int i = 1; i < ids.length; i++) {
            ids[i] = (7L * i * i + 3L * i + 5) % vocabulary;
        }
        return ids;
    }

    Path write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("config.json"), new JsonMapper().writeValueAsString(config));
        Map<String, List<Integer>> shapes = new LinkedHashMap<>();
        for (Matrix matrix : Matrix.of(ConfigFile.read(folder))) {
            for (Matrix.Part part : matrix.parts()) {
                shapes.put(
                        part.tensor(),
                        matrix.norm() ? List.of(matrix.columns()) : List.of(part.rows(), matrix.columns()));
            }
        }
        SplittableRandom random = new SplittableRandom(7);
        List<Map<String, byte[]>> files = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
            files.add(new LinkedHashMap<>());
        }
        Map<String, String> weightMap = new LinkedHashMap<>();
        int i = 0;
        for (Map.Entry<String, List<Integer>> shape : shapes.entrySet()) {
            int shard = i++ % shards;
            files.get(shard).put(shape.getKey(), numbers(shape.getValue(), random));
            weightMap.put(shape.getKey(), name(shard));
        }
        for (int shard = 0; shard < shards; shard++) {
            Files.write(folder.resolve(name(shard)), safetensors(files.get(shard), shapes));
        }
        if (shards > 1) {
            Files.writeString(
                    folder.resolve("model.safetensors.index.json"),
                    new JsonMapper().writeValueAsString(Map.of("weight_map", weightMap)));
        }
        return folder;
    }

    private String name(int shard) {
        return shards == 1 ? "model.safetensors" : "model-%05d-of-%05d.safetensors".formatted(shard + 1, shards);
    }

    private byte[] numbers(List<Integer> shape, SplittableRandom random) {
        int count = shape.stream().reduce(1, (a, b) -> a * b);
        ByteBuffer bytes = ByteBuffer.allocate(count * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            put(bytes, shape.size() == 1 ? 1 + random.nextInt(-16, 17) / 128f : matrixValue(random));
        }
        return bytes.array();
    }

    /** A multiple of 1/1024 of at most 8 bits, about normal with a deviation of 0.08. */
    private static float matrixValue(SplittableRandom random) {
        long value = Math.round(random.nextGaussian() * 80);
        return Math.max(-LARGEST, Math.min(LARGEST, value)) / 1024f;
    }

    private void put(ByteBuffer bytes, float value) {
        int bits = Float.floatToIntBits(value);
        switch (dtype) {
            case FP32 -> bytes.putFloat(value);
            case BF16 -> bytes.putShort((short) (bits >> 16));
            case FP16 -> {
                int exponent = value == 0 ? 0 : Math.getExponent(value) + 15;
                bytes.putShort((short) ((bits >>> 16 & 0x8000) | exponent << 10 | bits >>> 13 & 0x3ff));
            }
        }
    }

    private byte[] safetensors(Map<String, byte[]> tensors, Map<String, List<Integer>> shapes) throws IOException {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("__metadata__", Map.of("format", "pt"));
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        tensors.forEach((name, bytes) -> {
            List<Integer> place = List.of(data.size(), data.size() + bytes.length);
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("dtype", dtype.safetensors());
            entry.put("shape", shapes.get(name));
            entry.put("data_offsets", place);
            header.put(name, entry);
            data.writeBytes(bytes);
        });
        return file(new JsonMapper().writeValueAsString(header), data.toByteArray());
    }

    /** A file of the format with this header and data. */
    static byte[] file(String header, byte[] data) {
        byte[] json = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + json.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .put(data)
                .array();
    }
}
