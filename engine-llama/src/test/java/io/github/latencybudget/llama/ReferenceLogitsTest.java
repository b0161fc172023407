package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The logits equal those of Hugging Face transformers on the same weights; {@code reference_logits.py} made the reference. */
class ReferenceLogitsTest {

    private static final double TOLERANCE = 1e-4;

    /** Half precision has 11 bits, and errors of single steps add up over the layers. */
    private static final double HALF_TOLERANCE = 1e-2;

    /** bfloat16 has 8 bits. */
    private static final double BRAIN_TOLERANCE = 2e-2;

    @TempDir
    private Path folder;

    private record Expected(long[] ids, long[] greedy, float[][] logits) {

        static Expected of(String model) throws IOException {
            try (InputStream json = ReferenceLogitsTest.class.getResourceAsStream("reference_" + model + ".json")) {
                return new JsonMapper().readValue(json, Expected.class);
            }
        }

        float[] flat() {
            float[] flat = new float[logits.length * logits[0].length];
            for (int i = 0; i < logits.length; i++) {
                System.arraycopy(logits[i], 0, flat, i * logits[0].length, logits[0].length);
            }
            return flat;
        }
    }

    @ParameterizedTest
    @CsvSource({"FP32, 1, off", "FP16, 1, off", "BF16, 1, off", "BF16, 3, off", "FP32, 1, on"})
    void groupedQueryAttention(Dtype stored, int shards, String optimizer) throws IOException {
        Path model = ModelFolder.grouped(stored, shards).write(folder);
        try (LlamaSession session = Models.open(model.toString(), "cpu", "", "jitOptimizer=" + optimizer)) {
            check(session, "grouped", TOLERANCE);
        }
    }

    @Test
    void tiedHeadWiderHeadsAndAnotherRopeBase() throws IOException {
        Path model = ModelFolder.tied().write(folder);
        try (LlamaSession session = Models.open(model.toString())) {
            check(session, "tied", TOLERANCE);
        }
    }

    @Test
    void positionsThatAreScaled() throws IOException {
        Path model = ModelFolder.scaled().write(folder);
        try (LlamaSession session = Models.open(model.toString())) {
            check(session, "scaled", TOLERANCE);
        }
    }

    @ParameterizedTest
    @CsvSource({"grouped, off", "grouped, on", "tied, off"})
    void inBfloat16(String name, String optimizer) throws IOException {
        ModelFolder model = name.equals("tied") ? ModelFolder.tied() : ModelFolder.grouped(Dtype.BF16, 1);
        String written = model.write(folder).toString();
        try (LlamaSession session = Models.open(written, "cpu", "bf16", "jitOptimizer=" + optimizer)) {
            assertThat(session.description().dtype()).isEqualTo("bf16");
            check(session, name, BRAIN_TOLERANCE);
            // these models leave enough room between their best logits
            Expected expected = Expected.of(name);
            assertThat(greedy(session, expected)).containsExactly(expected.greedy());
        }
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"fp32, off", "fp32, on", "fp16, off", "fp16, on", "bf16, off", "bf16, on"})
    void onTheGpu(String dtype, String optimizer) throws IOException {
        Models.assumeCuda();
        Path model = ModelFolder.grouped(Dtype.BF16, 1).write(folder);
        try (LlamaSession session = Models.open(model.toString(), "cuda:0", dtype, "jitOptimizer=" + optimizer)) {
            check(session, "grouped", tolerance(dtype));
        }
    }

    private static void check(LlamaSession session, String name, double tolerance) throws IOException {
        Expected expected = Expected.of(name);
        for (int run = 1; run <= 3; run++) {
            double error = Reference.relativeError(session.logits(expected.ids()), expected.flat());
            System.out.printf(Locale.ROOT, "%s: relative error of the logits %.2e%n", name, error);
            assertThat(error).as("run %d", run).isLessThan(tolerance);
        }
        long[] greedy = greedy(session, expected);
        int same = Arrays.mismatch(greedy, expected.greedy());
        System.out.printf(
                "%s: %s of %d greedy ids equal%n", name, same < 0 ? "all" : "the first " + same, greedy.length);
        // this model leaves enough room between its best logits for half precision too
        assertThat(greedy).containsExactly(expected.greedy());
    }

    private static double tolerance(String dtype) {
        return switch (dtype) {
            case "bf16" -> BRAIN_TOLERANCE;
            case "fp16" -> HALF_TOLERANCE;
            default -> TOLERANCE;
        };
    }

    /** Every token is decoded here, the prompt's too. */
    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({
        "grouped, fp32",
        "grouped, fp16",
        "tied, fp32",
        "tied, fp16",
        "grouped, bf16",
        "tied, bf16",
        "scaled, fp32",
        "scaled, fp16"
    })
    void ownKernels(String name, String dtype) throws IOException {
        Models.assumeCuda();
        ModelFolder model = switch (name) {
            case "tied" -> ModelFolder.tied();
            case "scaled" -> ModelFolder.scaled();
            default -> ModelFolder.grouped(Dtype.BF16, 1);
        };
        Expected expected = Expected.of(name);
        try (LlamaSession session = Models.open(model.write(folder).toString(), "cuda:0", dtype, "decode=kernels")) {
            float[][] logits = expected.logits();
            float[] steps = session.logitsStepByStep(expected.ids());
            double error = Reference.relativeError(steps, logits[logits.length - 1]);
            System.out.printf(Locale.ROOT, "%s, own kernels, %s: relative error %.2e%n", name, dtype, error);
            assertThat(error).isLessThan(tolerance(dtype));
        }
    }

    private static long[] greedy(LlamaSession session, Expected expected) {
        int output = expected.greedy().length;
        LongStream.Builder greedy = LongStream.builder();
        session.generate(expected.ids(), new StopCondition(output, true, Set.of(2)), greedy);
        return greedy.build().toArray();
    }
}
