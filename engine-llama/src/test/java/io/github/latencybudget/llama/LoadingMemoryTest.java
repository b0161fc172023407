package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much memory of the host a sharded model takes while it is loaded, beyond its weights. */
class LoadingMemoryTest {

    private static final Map<String, Object> CONFIG = Map.ofEntries(
            Map.entry("model_type", "llama"),
            Map.entry("hidden_size", 2048),
            Map.entry("intermediate_size", 16384),
            Map.entry("num_hidden_layers", 1),
            Map.entry("num_attention_heads", 16),
            Map.entry("vocab_size", 2048),
            Map.entry("max_position_embeddings", 64));

    /** Of {@code gate_proj}, {@code up_proj} and {@code down_proj}, in F32. */
    private static final long LARGEST_TENSOR = 2048L * 16384 * 4;

    @TempDir
    private Path folder;

    /** Prints what loading the model of a folder takes. */
    static final class Load {

        private Load() {}

        public static void main(String[] arguments) {
            Models.open("synthetic:tiny").close();
            System.gc();
            OwnJvm.print("anonymousBefore", OwnJvm.memory("RssAnon"));
            OwnJvm.print("residentBefore", OwnJvm.memory("VmRSS"));
            long[] peak = new long[1];
            try (LlamaSession session = LlamaTarget.openLlama(
                    Models.spec(arguments[0], "cpu", ""),
                    (what, done, total, unit) -> peak[0] = Math.max(peak[0], OwnJvm.mappedWeights()))) {
                OwnJvm.print(
                        "weights",
                        Long.parseLong(session.description().details().get("weights bytes")));
                OwnJvm.print("anonymousAfter", OwnJvm.memory("RssAnon"));
                OwnJvm.print("residentPeak", OwnJvm.memory("VmHWM"));
                OwnJvm.print("mappedBetweenTensors", peak[0]);
            }
        }
    }

    @Test
    void isUnderTwoTensors() throws IOException, InterruptedException {
        Path model = write(folder.resolve("model"));

        Map<String, Long> bytes = OwnJvm.run(folder, Load.class, model.toString());

        long weights = bytes.get("weights");
        assertThat(weights).isGreaterThan(450_000_000);
        // of the process as a whole: copies, mapped files, and whatever the JVM took meanwhile
        assertThat(bytes.get("residentPeak") - bytes.get("residentBefore") - weights)
                .isLessThan(2 * LARGEST_TENSOR);
        // malloc keeps what was freed in pieces of up to 32 MiB
        assertThat(bytes.get("anonymousAfter") - bytes.get("anonymousBefore") - weights)
                .isLessThan(LARGEST_TENSOR);
        assertThat(bytes.get("mappedBetweenTensors")).isZero();
    }

    /** Zeros, which take no place on the disk, in three files. */
    private static Path write(Path model) throws IOException {
        Files.createDirectories(model);
        Files.writeString(model.resolve("config.json"), new JsonMapper().writeValueAsString(CONFIG));
        Map<String, Map<String, Object>> headers = new LinkedHashMap<>();
        Map<String, Long> ends = new LinkedHashMap<>();
        Map<String, String> index = new LinkedHashMap<>();
        for (Matrix matrix : Matrix.of(ConfigFile.read(model))) {
            for (Matrix.Part part : matrix.parts()) {
                if (index.containsKey(part.tensor())) {
                    continue;
                }
                String file = "model-0000%d-of-00003.safetensors".formatted(1 + index.size() % 3);
                index.put(part.tensor(), file);
                long start = ends.getOrDefault(file, 0L);
                long end = start + 4L * part.rows() * matrix.columns();
                ends.put(file, end);
                headers.computeIfAbsent(file, f -> new LinkedHashMap<>())
                        .put(
                                part.tensor(),
                                Map.of(
                                        "dtype",
                                        "F32",
                                        "shape",
                                        matrix.norm()
                                                ? List.of(matrix.columns())
                                                : List.of(part.rows(), matrix.columns()),
                                        "data_offsets",
                                        List.of(start, end)));
            }
        }
        for (Map.Entry<String, Map<String, Object>> header : headers.entrySet()) {
            byte[] json = new JsonMapper().writeValueAsString(header.getValue()).getBytes(StandardCharsets.UTF_8);
            try (RandomAccessFile file =
                    new RandomAccessFile(model.resolve(header.getKey()).toFile(), "rw")) {
                file.write(ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(json.length)
                        .array());
                file.write(json);
                file.setLength(Long.BYTES + json.length + ends.get(header.getKey()));
            }
        }
        Files.writeString(
                model.resolve("model.safetensors.index.json"),
                new JsonMapper().writeValueAsString(Map.of("weight_map", index)));
        return model;
    }
}
