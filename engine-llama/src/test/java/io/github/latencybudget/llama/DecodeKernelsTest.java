package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.util.Utils;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of the kernels compiles for the models of the field, which needs NVIDIA's compiler but no GPU. */
class DecodeKernelsTest {

    private static final int PROCESSORS = 132;

    @TempDir
    private static Path folder;

    @ParameterizedTest
    @CsvSource({
        "llama2-7b, FP16, 90",
        "llama2-7b, FP16, 80",
        "llama2-13b, BF16, 90",
        "llama2-70b, FP16, 90",
        "tiny, FP32, 90",
        "tiny, FP16, 120"
    })
    void theTextCompiles(String model, Dtype dtype, int capability) throws IOException {
        LlamaConfig config = SyntheticShape.parse(model);
        Tuning tuning = Tuning.of(config, capability >= 90 ? 227 << 10 : 99 << 10);
        KernelShape shape = new KernelShape(config, dtype, PROCESSORS, tuning);
        String ptx = KernelModule.compile(nvrtc(), shape, capability).getString(0, StandardCharsets.US_ASCII.name());
        assertThat(ptx)
                .contains(shape.kernels().stream()
                        .map(kernel -> ".entry " + kernel.name())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"llama2-7b, FP16", "llama2-70b, BF16", "tiny, FP32"})
    void theTextForPromptsCompiles(String model, Dtype dtype) throws IOException {
        PrefillKernels.Texts texts = new PrefillKernels.Texts(SyntheticShape.parse(model), dtype);
        String ptx = KernelModule.compile(nvrtc(), texts, 90).getString(0, StandardCharsets.US_ASCII.name());
        assertThat(ptx)
                .contains(texts.kernels().stream()
                        .map(kernel -> ".entry " + kernel.name())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "llama2-7b, FP16, NONE, 8, 227",
        "llama2-7b, FP16, NONE, 16, 227",
        "llama2-7b, FP16, NONE, 32, 227",
        "llama2-7b, FP16, NONE, 64, 227",
        "llama2-7b, FP16, INT8, 8, 227",
        "llama2-7b, FP16, INT4, 8, 227",
        "llama2-7b, FP16, INT4, 64, 99",
        "llama2-70b, BF16, NONE, 8, 163"
    })
    void theTextForSeveralSequencesCompiles(
            String model, Dtype dtype, Quantization quantization, int slots, int sharedKib) throws IOException {
        LlamaConfig config = SyntheticShape.parse(model);
        BatchTuning tuning = BatchTuning.of(config, quantization.bits(dtype), slots, slots, sharedKib << 10);
        BatchShape shape = new BatchShape(config, dtype, quantization, PROCESSORS, slots, slots, tuning);
        String ptx = KernelModule.compile(nvrtc(), shape, sharedKib >= 227 ? 90 : 80)
                .getString(0, StandardCharsets.US_ASCII.name());
        assertThat(ptx)
                .contains(shape.kernels().stream()
                        .map(kernel -> ".entry " + kernel.name())
                        .toList());
        assertThat(shape.kernels()).allMatch(kernel -> kernel.sharedBytes() <= sharedKib << 10);
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, 8, 8, 227, '12,1,8,1', '8,2,4,2'",
        "NONE, 16, 16, 227, '16,1,8,1', '8,2,8,1'",
        "NONE, 32, 32, 227, '8,2,5,1', '8,2,5,1'",
        "NONE, 64, 64, 227, '4,2,6,1', '4,2,6,1'",
        "INT4, 8, 8, 227, '8,2,8,1', '8,2,8,1'",
        "INT4, 8, 8, 99, '8,2,4,1', '8,2,4,1'",
        "INT4, 8, 1, 227, '8,3,6,1', '8,2,4,1'",
        "INT4, 8, 1, 99, '4,3,6,1', '8,2,4,1'"
    })
    void aBlockKeepsWhatItMultipliesWithWhereThereIsRoom(
            Quantization quantization, int slots, int sequences, int sharedKib, String gateUp, String down) {
        LlamaConfig config = SyntheticShape.parse("llama2-7b");
        BatchTuning tuning = BatchTuning.of(config, quantization.bits(Dtype.FP16), slots, sequences, sharedKib << 10);
        assertThat(tuning.gateUp().macro()).isEqualTo(gateUp);
        assertThat(tuning.down().macro()).isEqualTo(down);
    }

    @Test
    void onlyTheNormBeforeALongRowOrForManySequencesHasAKernelOfItsOwn() {
        LlamaConfig small = SyntheticShape.parse("llama2-7b");
        LlamaConfig large = SyntheticShape.parse("llama2-70b");
        assertThat(normalizes(small, Quantization.INT4, 8)).isFalse();
        assertThat(normalizes(small, Quantization.NONE, 8)).isFalse();
        assertThat(normalizes(small, Quantization.INT4, 16)).isTrue();
        assertThat(normalizes(large, Quantization.INT4, 8)).isTrue();
    }

    private static boolean normalizes(LlamaConfig config, Quantization quantization, int slots) {
        BatchTuning tuning = BatchTuning.of(config, quantization.bits(Dtype.FP16), slots, slots, 227 << 10);
        BatchShape shape = new BatchShape(config, Dtype.FP16, quantization, PROCESSORS, slots, slots, tuning);
        return shape.normalizesBefore("qkv");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "llama2-7b | FP32 | NONE | own kernels compute fp32 for one sequence only",
                "llama2-7b | BF16 | INT8 | own kernels want fp16 beside quantised weights, not bf16",
                "hidden=64,intermediate=96,layers=1,heads=4,vocab=9,context=9 | FP16 | INT4 | own kernels want hidden_size = 64 to be a multiple of 256"
            })
    void whatTheKernelsForSeveralSequencesCannotComputeIsNamed(
            String model, Dtype dtype, Quantization quantization, String message) {
        LlamaConfig config = SyntheticShape.parse(model);
        BatchTuning tuning = BatchTuning.of(config, 16, 8, 8, 227 << 10);
        assertThatThrownBy(() -> new BatchShape(config, dtype, quantization, PROCESSORS, 8, 8, tuning))
                .isInstanceOf(EngineFailure.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "llama2-7b, 227, 8, 8",
        "llama2-70b, 227, 8, 4",
        "llama2-70b, 163, 8, 2",
        "llama2-7b, 99, 8, 2",
        "llama2-13b, 99, 8, 2",
        "tiny, 64, 4, 2"
    })
    void tilesAskAsFarAheadAsSharedMemoryAllows(String model, int sharedKib, int gateUp, int down) {
        LlamaConfig config = SyntheticShape.parse(model);
        Tuning tuning = Tuning.of(config, sharedKib << 10);
        assertThat(tuning.gateUp().depth()).isEqualTo(gateUp);
        assertThat(tuning.down().depth()).isEqualTo(down);
        assertThat(new KernelShape(config, Dtype.FP16, PROCESSORS, tuning).kernels())
                .allMatch(kernel -> kernel.sharedBytes() <= sharedKib << 10);
    }

    @Test
    void anErrorInTheTextIsNamed() throws IOException {
        Nvrtc nvrtc = nvrtc();
        assertThatThrownBy(() -> nvrtc.compile("__device__ int f() { return nothing; }", List.of()))
                .isInstanceOf(EngineFailure.class)
                .hasMessageContaining("identifier \"nothing\" is undefined");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hidden=100,intermediate=96,layers=1,heads=10,vocab=9,context=9 | own kernels want hidden_size = 100 to be a multiple of 8",
                "hidden=64,intermediate=90,layers=1,heads=4,vocab=9,context=9 | own kernels want intermediate_size = 90 to be a multiple of 8",
                "hidden=96,intermediate=96,layers=1,heads=4,vocab=9,context=9 | own kernels want a head_dim that is 8 times a power of two, up to 256, not 24",
                "hidden=64,intermediate=96,layers=1,heads=16,vocab=9,context=9 | own kernels want a head_dim that is 8 times a power of two, up to 256, not 4"
            })
    void whatTheKernelsCannotComputeIsNamed(String shape, String message) {
        LlamaConfig config = SyntheticShape.parse(shape);
        assertThatThrownBy(() -> new KernelShape(config, Dtype.FP16, PROCESSORS, Tuning.of(config, 227 << 10)))
                .isInstanceOf(EngineFailure.class)
                .hasMessage(message);
    }

    @Test
    void anOldDeviceIsRefused() throws IOException {
        LlamaConfig tiny = SyntheticShape.parse("tiny");
        KernelShape shape = new KernelShape(tiny, Dtype.FP16, PROCESSORS, Tuning.of(tiny, 64 << 10));
        Nvrtc nvrtc = nvrtc();
        assertThatThrownBy(() -> KernelModule.compile(nvrtc, shape, 75))
                .isInstanceOf(EngineFailure.class)
                .hasMessage("own kernels want compute capability 8.0, the device has 7.5");
    }

    /** The compiler beside PyTorch's libraries, or from their jar. */
    private static Nvrtc nvrtc() throws IOException {
        String natives = Utils.getEnvOrSystemProperty("PYTORCH_LIBRARY_PATH");
        if (natives != null) {
            return Nvrtc.open(Path.of(natives));
        }
        Optional<String> jar = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.matches(".*pytorch-native-cu\\d+-[^/]*linux-x86_64\\.jar"))
                .findFirst();
        assumeTrue(jar.isPresent(), "no PyTorch for CUDA on the class path: build with -Pcu124");
        try (ZipFile zip = new ZipFile(jar.orElseThrow())) {
            for (ZipEntry entry : zip.stream().toList()) {
                Path file = folder.resolve(Path.of(entry.getName()).getFileName());
                if (entry.getName().contains("/libnvrtc") && Files.notExists(file)) {
                    try (var content = zip.getInputStream(entry)) {
                        Files.copy(content, file);
                    }
                }
            }
        }
        return Nvrtc.open(folder);
    }
}
