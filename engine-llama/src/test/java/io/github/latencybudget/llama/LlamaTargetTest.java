package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LlamaTargetTest {

    @TempDir
    private Path folder;

    @Test
    void describesWhatWasOpened() {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            TargetDescription description = session.description();
            assertThat(description.model()).isEqualTo("tiny");
            assertThat(description.weights()).isEqualTo("synthetic, seed 42");
            assertThat(description.dtype()).isEqualTo("fp32");
            assertThat(description.device()).isEqualTo(Host.processorName());
            assertThat(description.deviceKey()).isEqualTo("cpu");
            assertThat(description.contextTokens()).isEqualTo(2048);
            assertThat(description.details())
                    .containsEntry("jit optimizer", "off")
                    .containsEntry("threads", "1")
                    .containsEntry("decode", "plain, the device is cpu")
                    .containsEntry("parameters", "3950848")
                    .containsEntry("weights bytes", "15803392")
                    .containsEntry("kv cache bytes per token", "4096")
                    .containsEntry("tokenizer", "none: prompts are random ids")
                    .containsKey("flavor");
            assertThat(description.details().get("engine")).matches("DJL [\\d.]+, PyTorch [\\d.]+");
            assertThat(session.deviceMemoryBytes().orElseThrow()).isGreaterThan(15_803_392);
        }
    }

    @Test
    void namesAFolderAndItsTokenizer() throws IOException {
        Path model = ModelFolder.tied().write(folder.resolve("my-model"));
        try (LlamaSession session = Models.open(model.toString())) {
            assertThat(session.description().model()).isEqualTo("my-model");
            assertThat(session.description().weights()).startsWith("folder my-model, sha256 ");
            assertThat(session.description().details())
                    .containsEntry("tokenizer", "tokenizer.json is absent: prompts are random ids");
        }
    }

    @Test
    void reportsItsProgressInBytes() {
        List<String> steps = new ArrayList<>();
        LlamaTarget.openLlama(
                        Models.spec("synthetic:tiny", "cpu", "fp32"),
                        (what, done, total, unit) -> steps.add(what + " " + done + "/" + total + " " + unit))
                .close();
        assertThat(steps)
                .hasSize(28)
                .startsWith("loading tiny 0/15812608 bytes")
                .endsWith("loading tiny 15812608/15812608 bytes");
    }

    @Test
    void takesTheNumberOfThreadsThatItIsGiven() {
        try (LlamaSession two = Models.open("synthetic:tiny", "cpu", "", "threads=2")) {
            assertThat(two.description().details()).containsEntry("threads", "2");
        }
        try (LlamaSession one = Models.open("synthetic:tiny", "cpu", "", "threads=1")) {
            assertThat(one.description().details()).containsEntry("threads", "1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cpu | fp16 | dtype = fp16 is not computed on the device cpu: use fp32, bf16, int8 or int4, or a device such as cuda:0",
                "cpu | int2 | dtype = int2 is not computed on the device cpu: use fp32, bf16, int8 or int4",
                "cuda:1 | int2 | dtype = int2 is not computed on the device cuda:1: use fp16, bf16, fp32, int8 or int4",
                "tpu | fp32 | device = \"tpu\" is not known: use cpu, or cuda:0 for the first GPU",
                "cuda:x | fp32 | device = \"cuda:x\" is not known: use cpu, or cuda:0 for the first GPU",
                "cuda | fp32 | device = \"cuda\" is not known: use cpu, or cuda:0 for the first GPU",
                "gpu:0 | fp32 | device = \"gpu:0\" is not known: use cpu, or cuda:0 for the first GPU",
                "cuda:00 | fp32 | device = \"cuda:00\" is not known: use cpu, or cuda:0 for the first GPU",
                "'' | fp32 | device = \"\" is not known: use cpu, or cuda:0 for the first GPU"
            })
    void deviceAndTypeAreRefusedByName(String device, String dtype, String message) {
        assertThatThrownBy(() -> Models.open("synthetic:tiny", device, dtype))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "thread=2 | option thread is not known to the Llama target: its options are decode, hash, jitOptimizer, threads, useCache, useCacheFrom",
                "useCache=no | option useCache = no is not allowed: use on, off or adaptive",
                "useCacheFrom=8 | option useCacheFrom = 8 needs useCache = adaptive, and that is on",
                "threads=0 | option threads = 0 is not allowed: use a whole number from 1 to 9999",
                "jitOptimizer=true | option jitOptimizer = true is not allowed: use on or off",
                "hash=sha256 | option hash = sha256 is not allowed: use layout or files",
                "hash=files | option hash = files is not possible for model = \"synthetic:tiny\", which has no files: leave it"
                        + " out, or name a folder",
                "decode=yes | option decode = yes is not allowed: use kernels, plain or auto",
                "decode=kernels | option decode = kernels is not possible on the device cpu: use auto, or a device such as cuda:0"
            })
    void optionsAreRefusedByName(String option, String message) {
        assertThatThrownBy(() -> Models.open("synthetic:tiny", "cpu", "", option))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuda:0", "cuda:7"})
    void withoutCudaAGpuIsRefusedAndNeverReplacedByTheProcessor(String device) {
        TorchEngine engine = TorchEngine.start(LlamaOptions.of(Models.spec("synthetic:tiny", "cpu", "")));
        assumeFalse(engine.hasCuda(), "there is a CUDA device");
        String message = engine.flavor().startsWith("cu")
                ? "device %s was asked for, but PyTorch (%s) finds no CUDA device: check nvidia-smi and CUDA_VISIBLE_DEVICES"
                : "device %s was asked for, but this PyTorch (%s) has no CUDA: test with the jar pytorch-native-cu124 instead of pytorch-native-cpu, as docs/gpu.md says, or use the device cpu";
        assertThatThrownBy(() -> Models.open("synthetic:tiny", device, ""))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message, device, engine.flavor());
    }

    @Test
    void aMissingFolderIsNamed() {
        assertThatThrownBy(() -> Models.open(folder.resolve("nowhere").toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("model = \"%s\" is no folder: name a folder in the Hugging Face layout, or synthetic:tiny"
                        .formatted(folder.resolve("nowhere")));
    }

    @Test
    void weightsThatCannotFitAreRefusedBeforeTheyAreMade() {
        assertThatThrownBy(() -> Models.open("synthetic:llama2-70b,layers=800"))
                .isInstanceOf(MeasurementException.class)
                .hasMessageMatching(
                        "out of memory on cpu: Llama-2-70b \\(layers 800\\) in fp32 needs 2552\\.\\d\\d GiB for weights"
                                + " and 0\\.01 GiB for the positions of a context of 4096 tokens,"
                                + " and \\d+\\.\\d\\d GiB were free; use a smaller model, prompt or output, or a larger device");
    }

    /** The engine makes a table of positions for the whole context while it loads. */
    @Test
    void aContextWhosePositionsCannotFitIsRefusedBeforeTheyAreMade() {
        LlamaConfig config =
                SyntheticShape.parse("hidden=4096,intermediate=8,layers=1,heads=1,vocab=8,context=16777216");
        LlamaOptions options = LlamaOptions.of(Models.spec("synthetic:tiny", "cpu", ""));
        assertThatThrownBy(() -> new MemoryNeed(config, options, Optional.empty()).checkWeights())
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining(
                        "needs 0.25 GiB for weights and 1152.00 GiB for the positions of a context of 16777216 tokens");
    }

    @Tag("gpu")
    @Test
    void opensOnTheGpu() {
        Models.assumeCuda();
        try (LlamaSession session = Models.open("synthetic:tiny", "cuda:0", "")) {
            assertThat(session.description().dtype()).isEqualTo("fp16");
            assertThat(session.description().deviceKey()).isEqualTo("cuda:0");
            assertThat(session.description().device()).startsWith("NVIDIA");
            assertThat(session.description().details()).containsKeys("driver", "device memory bytes");
            assertThat(session.description().details()).containsEntry("decode", "own kernels, cuda graph");
            assertThat(session.deviceMemoryBytes().orElseThrow()).isGreaterThan(100_000_000);
        }
    }

    @Tag("gpu")
    @Test
    void aGpuThatDoesNotExistIsRefused() {
        Models.assumeCuda();
        assertThatThrownBy(() -> Models.open("synthetic:tiny", "cuda:99", ""))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("the weights could not be brought to cuda:99 (");
    }

    @Tag("gpu")
    @Test
    void weightsThatCannotFitOnTheGpuAreRefused() {
        Models.assumeCuda();
        assertThatThrownBy(() -> Models.open("synthetic:llama2-70b,layers=800", "cuda:0", "fp16"))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("out of memory on cuda:0: Llama-2-70b (layers 800) in fp16 needs 1276.");
    }

    @Test
    void aTokenizerThatDoesNotFitIsRefusedWithBothValues() throws IOException {
        Path model = ModelFolder.tied().write(folder);
        Path tokenizer = folder.resolve("tokenizer.json");
        Files.writeString(tokenizer, "{\"model\": {\"vocab\": {\"a\": 0, \"b\": 131}}, \"added_tokens\": []}");
        assertThatThrownBy(() -> Models.open(model.toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("%s has 132 tokens, but config.json says vocab_size = 100: they belong to different models"
                        .formatted(tokenizer));
    }

    @Test
    void aStartOfPromptsThatIsNoSpecialTokenIsRefusedWithBothValues() throws IOException {
        Path model = ModelFolder.tied().write(folder);
        Path tokenizer = folder.resolve("tokenizer.json");
        Files.writeString(
                tokenizer,
                "{\"model\": {\"vocab\": {\"a\": 0}}, \"added_tokens\": [{\"id\": 4, \"special\": true}, {\"id\": 3, \"special\": true}]}");
        assertThatThrownBy(() -> Models.open(model.toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "config.json says bos_token_id = 1, but the special tokens of %s are 3, 4: correct one of them"
                                .formatted(tokenizer));
    }

    @Test
    void theTokenizerReadsAndWritesTheModelsText() {
        Path stories = Models.stories();
        TorchEngine.quieten();
        TokenizerFile file =
                TokenizerFile.open(stories, ConfigFile.read(stories)).orElseThrow();
        assertThat(file.special()).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(file).hasToString("tokenizer.json, 512 tokens");
        try (LlamaTokenizer tokenizer = file.load()) {
            assertThat(tokenizer.decode(Models.storiesIds())).startsWith("Once upon a time, there was a little girl");
            long[] ids = tokenizer.encode("Once upon a time");
            assertThat(ids[0]).isEqualTo(1);
            assertThat(tokenizer.decode(ids)).isEqualTo("Once upon a time");
        }
    }
}
