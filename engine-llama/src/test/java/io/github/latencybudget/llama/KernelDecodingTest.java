package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Own kernels give what running the program gives. */
class KernelDecodingTest {

    private static final String MODEL = "synthetic:tiny";

    private static long[] ids(LlamaSession session, int prompt, int output) {
        LongStream.Builder ids = LongStream.builder();
        long[] tokens = new Prompts(1, 2048, Set.of(2), 42).prompt(prompt, 1);
        session.generate(tokens, new StopCondition(output, true, Set.of()), ids);
        return ids.build().toArray();
    }

    @Test
    void withoutADriverTheReasonIsNamed() {
        boolean absent = false;
        try {
            NativeLibrary.getInstance("libcuda.so.1");
        } catch (UnsatisfiedLinkError e) {
            absent = true;
        }
        assumeTrue(absent, "there is a CUDA driver");
        assertThatThrownBy(() -> CudaDriver.open(0))
                .isInstanceOf(EngineFailure.class)
                .hasMessage("NVIDIA's driver library could not be loaded");
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 64", "2, 5", "31, 64", "250, 64", "700, 64", "1500, 64"})
    void kernelsGiveThePlainIds(int prompt, int output) {
        Models.assumeCuda();
        try (LlamaSession plain = Models.open(MODEL, "cuda:0", "fp32", "decode=plain");
                LlamaSession kernels = Models.open(MODEL, "cuda:0", "fp32", "decode=kernels")) {
            assertThat(plain.description().details()).containsEntry("decode", "plain, decode = plain");
            assertThat(kernels.description().details())
                    .containsEntry("decode", "own kernels, cuda graph; plain for more than one sequence in fp32");
            assertThat(ids(kernels, prompt, output)).containsExactly(ids(plain, prompt, output));
        }
    }

    /** Eight queries to a key, and heads of the width that large models have. */
    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp16", "bf16"})
    void theLogitsOfWideHeadsAreThePlainOnes(String dtype) {
        Models.assumeCuda();
        String model = "synthetic:hidden=2048,intermediate=1024,layers=3,heads=16,kvHeads=2,vocab=999,context=2048";
        long[] prompt = new Prompts(1, 999, Set.of(2), 42).prompt(150, 1);
        try (LlamaSession plain = Models.open(model, "cuda:0", dtype, "decode=plain");
                LlamaSession kernels = Models.open(model, "cuda:0", dtype, "decode=kernels")) {
            double error = Reference.relativeError(kernels.logitsStepByStep(prompt), plain.logitsStepByStep(prompt));
            assertThat(error).isLessThan(dtype.equals("fp32") ? 1e-4 : dtype.equals("fp16") ? 1e-2 : 5e-2);
        }
    }

    /** Prompts of one to many tokens, of which only the first token is compared: nearly equal logits may change places later. */
    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp16", "bf16", "int8", "int4"})
    void promptsGiveTheirPlainTokens(String dtype) {
        Models.assumeCuda();
        String model = "synthetic:hidden=512,intermediate=1024,layers=3,heads=8,kvHeads=2,vocab=2048,context=2048";
        try (LlamaSession plain = Models.open(model, "cuda:0", dtype, "decode=plain");
                LlamaSession kernels = Models.open(model, "cuda:0", dtype, "decode=kernels")) {
            long equal = IntStream.rangeClosed(1, 40)
                    .filter(i -> ids(kernels, i * i, 1)[0] == ids(plain, i * i, 1)[0])
                    .count();
            assertThat(equal).isGreaterThanOrEqualTo(dtype.equals("fp32") ? 40 : 36);
        }
    }

    /** Together they take their prompts in one step, and decode in another bucket of kernels. */
    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"fp32, 5", "fp16, 3", "fp16, 8", "fp16, 20", "bf16, 64", "int8, 6", "int4, 6", "int4, 30"})
    void sequencesTogetherGiveWhatTheyGiveAlone(String dtype, int sequences) {
        Models.assumeCuda();
        String model = "synthetic:hidden=512,intermediate=1024,layers=3,heads=8,kvHeads=2,vocab=2048,context=2048";
        try (LlamaSession session = Models.open(model, "cuda:0", dtype, "decode=kernels")) {
            List<long[]> alone = IntStream.range(0, sequences)
                    .mapToObj(i -> ids(session, 1 + 31 * i, 4))
                    .toList();
            List<CompletableFuture<long[]>> together = IntStream.range(0, sequences)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> ids(session, 1 + 31 * i, 4), task -> new Thread(task).start()))
                    .toList();
            long equal = IntStream.range(0, sequences)
                    .filter(i -> Arrays.equals(together.get(i).join(), alone.get(i)))
                    .count();
            assertThat(equal)
                    .isGreaterThanOrEqualTo(dtype.equals("fp32") ? sequences : Math.round(Math.floor(sequences * 0.7)));
        }
    }

    /** Only the first tokens: in half precision a number at the edge of two tokens soon falls to the other. */
    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void drawnTokensAreThePlainOnes(int sequences) {
        Models.assumeCuda();
        Sampling sampling = new Sampling(0.9, 40, 0.95, 1.1, 7);
        String model = sequences == 1 ? Models.stories().toString() : MODEL;
        String dtype = sequences == 1 ? "fp32" : "fp16";
        try (LlamaSession plain = Models.open(model, "cuda:0", dtype, "decode=plain");
                LlamaSession kernels = Models.open(model, "cuda:0", dtype, "decode=kernels")) {
            List<CompletableFuture<Boolean>> equal = IntStream.range(0, sequences)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> Arrays.equals(drawn(kernels, sampling, i), drawn(plain, sampling, i)),
                            task -> new Thread(task).start()))
                    .toList();
            assertThat(equal.stream().filter(CompletableFuture::join).count())
                    .isGreaterThanOrEqualTo(sequences == 1 ? 1 : 3);
        }
    }

    private static long[] drawn(LlamaSession session, Sampling sampling, int number) {
        LongStream.Builder ids = LongStream.builder();
        long[] prompt = new Prompts(1, 512, Set.of(2), 42).prompt(9, number);
        session.generate(prompt, new StopCondition(3, true, Set.of()), Draws.of(sampling, 3, number), ids);
        return ids.build().toArray();
    }

    @Tag("gpu")
    @Test
    void closingGivesTheDeviceMemoryBack() {
        Models.assumeCuda();
        long[] used = new long[6];
        for (int i = 0; i < used.length; i++) {
            try (LlamaSession session = Models.open(MODEL, "cuda:0", "fp16", "decode=kernels")) {
                ids(session, 100, 20);
                used[i] = session.deviceMemoryBytes().orElseThrow();
            }
        }
        assertThat(used[5] - used[1]).as("growth in bytes").isLessThan(16 << 20);
    }

    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp16", "bf16"})
    void aLargerRequestPreparedMeanwhileChangesNothing(String dtype) {
        Models.assumeCuda();
        try (LlamaSession session = Models.open(MODEL, "cuda:0", dtype)) {
            long[] before = ids(session, 100, 60);
            session.prepare(new GenerationRequest(1500, 100, true, Sampling.GREEDY, 3));
            assertThat(ids(session, 100, 60)).containsExactly(before);
            ids(session, 1500, 100);
            assertThat(ids(session, 100, 60)).containsExactly(before);
        }
    }

    @Tag("gpu")
    @Test
    void anyThreadMayReplayWhatAnotherRecorded() {
        Models.assumeCuda();
        try (LlamaSession session = Models.open(MODEL, "cuda:0", "fp16")) {
            long[] here = ids(session, 100, 60);
            assertThat(CompletableFuture.supplyAsync(() -> ids(session, 100, 60))
                            .join())
                    .containsExactly(here);
            assertThat(CompletableFuture.supplyAsync(() -> ids(session, 400, 60))
                            .join())
                    .containsExactly(ids(session, 400, 60));
        }
    }

    @Tag("gpu")
    @Test
    void theDeviceTellsItsTimes() {
        Models.assumeCuda();
        try (LlamaSession session = Models.open(MODEL, "cuda:0", "fp16")) {
            ids(session, 100, 60);
            List<EngineStep> steps = session.takeSteps();
            assertThat(steps).hasSize(60);
            for (EngineStep step : steps) {
                assertThat(step.deviceNanos().orElseThrow())
                        .isPositive()
                        .isLessThan(step.endNanos() - step.startNanos() + 100_000);
            }
        }
    }

    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp16", "bf16"})
    void tenThousandTokensLeaveTheDeviceMemoryFlat(String dtype) {
        Models.assumeCuda();
        try (LlamaSession session = Models.open(MODEL, "cuda:0", dtype)) {
            ids(session, 48, 1000);
            long before = session.deviceMemoryBytes().orElseThrow();
            for (int i = 0; i < 10; i++) {
                ids(session, 48, 1000);
            }
            assertThat(session.deviceMemoryBytes().orElseThrow() - before)
                    .as("growth in bytes")
                    .isLessThan(16 << 20);
        }
    }

    @Tag("gpu")
    @Test
    void memoryThatRunsOutLeavesTheSessionUsable() {
        Models.assumeCuda();
        String muchCache = "synthetic:hidden=256,intermediate=8,layers=256,heads=32,vocab=2048,context=1000000";
        try (LlamaSession session = Models.open(muchCache, "cuda:0", "fp16")) {
            long[] before = ids(session, 30, 30);
            assertThatThrownBy(() -> ids(session, 30, 900_000)).isInstanceOf(MeasurementException.class);
            assertThat(ids(session, 30, 30)).containsExactly(before);
        }
    }
}
