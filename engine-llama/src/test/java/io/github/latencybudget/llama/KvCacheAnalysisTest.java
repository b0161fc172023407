package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Layer;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The analyser on real models. */
class KvCacheAnalysisTest {

    private static final String GROUPED = "synthetic:tiny";
    private static final String FULL = "synthetic:hidden=64,intermediate=128,layers=3,heads=4,vocab=64,context=256";

    private static KvCacheAnalysis analysis(String model, String device, String dtype, int prompt, String... options) {
        return KvCacheAnalysis.of(Models.spec(model, device, dtype, options), prompt, 10, 3, Progress.NONE);
    }

    /** The figures are written down: they must not come from the code that they check. */
    @ParameterizedTest
    @CsvSource({
        GROUPED + ", fp32, on, 20, true, 8, 32, 30720",
        GROUPED + ", bf16, on, 20, true, 8, 32, 15360",
        GROUPED + ", int8, on, 20, true, 8, 32, 30720",
        GROUPED + ", fp32, off, 20, false, , , 0",
        GROUPED + ", bf16, off, 20, false, , , 0",
        GROUPED + ", fp32, adaptive, 31, false, , , 0",
        GROUPED + ", fp32, adaptive, 32, true, 8, 32, 43008",
    })
    void aHealthyModelIsAsExpected(
            String model, String dtype, String mode, int prompt, boolean cached, Long heads, Long dim, long bytes) {
        check(analysis(model, "cpu", dtype, prompt, "useCache=" + mode), prompt, cached, heads, dim, bytes);
    }

    @ParameterizedTest
    @CsvSource({"fp32, on, true, 8, 16, 15360", "bf16, on, true, 8, 16, 7680", "fp32, off, false, , , 0"})
    void soIsOneWhoseQueryHeadsHaveAKvHeadEach(
            String dtype, String mode, boolean cached, Long heads, Long dim, long bytes) {
        check(analysis(FULL, "cpu", dtype, 20, "useCache=" + mode), 20, cached, heads, dim, bytes);
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"fp16, on, kernels", "bf16, on, kernels", "fp16, on, plain", "fp16, off, auto"})
    void soIsOneOnTheGpu(String dtype, String mode, String decode) {
        Models.assumeCuda();
        KvCacheAnalysis analysis = analysis(GROUPED, "cuda:0", dtype, 20, "useCache=" + mode, "decode=" + decode);
        boolean cached = mode.equals("on");
        check(analysis, 20, cached, cached ? 8L : null, cached ? 32L : null, cached ? 15360 : 0);
    }

    private static void check(KvCacheAnalysis analysis, int prompt, boolean cached, Long heads, Long dim, long bytes) {
        assertThat(analysis.findings()).as(analysis.toString()).isEmpty();
        assertThat(analysis.steps()).hasSize(4 * 11);
        for (Step step : analysis.steps()) {
            int filled = !cached || step.step() < 0 ? 0 : prompt + step.step();
            List<Long> shape = cached ? List.of(prompt + 10L, heads, dim) : List.of(0L);
            assertThat(step.layers())
                    .hasSize(analysis.expected().layers())
                    .containsOnly(new Layer(shape, analysis.expected().dtype(), bytes, filled, filled));
            assertThat(step.heldBytes()).isEqualTo(analysis.expected().layers() * bytes);
            assertThat(step.memoryBytes().isPresent())
                    .isEqualTo(Host.residentBytes().isPresent());
        }
        assertThat(analysis.steps().subList(0, 11).stream().map(Step::step))
                .containsExactly(-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    /** What is expected must not be what the code that allocates says of itself. */
    @ParameterizedTest
    @CsvSource({"llama2-7b, 524288", "llama2-13b, 819200", "llama2-70b, 327680"})
    void theBytesOfATokenOfThePublishedModelsAreKnown(String shape, long bytes) {
        LlamaOptions options = LlamaOptions.of(Models.spec("synthetic:" + shape, "cuda:0", "fp16"));
        Expected expected = Expected.of(SyntheticShape.parse(shape), options, 128, 64);
        assertThat(expected.bytesPerToken()).isEqualTo(bytes);
        assertThat(expected.bytes()).isEqualTo(192 * bytes);
    }

    @Test
    void theMemoryOfAHealthyModelIsJudgedAndDoesNotGrow() {
        KvCacheAnalysis analysis = KvCacheAnalysis.of(Models.spec(GROUPED, "cpu", ""), 128, 64, Progress.NONE);
        assertThat(analysis.findings()).as(analysis.toString()).isEmpty();
        assertThat(analysis.steps()).hasSize(10 * 65);
        assertThat(analysis.notes())
                .hasSize(Host.residentBytes().isPresent() ? 2 : 1)
                .allMatch(
                        n -> n.startsWith(Host.residentBytes().isPresent() ? "memory moved by " : "growth of memory"));
    }

    @Test
    void anOutputThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> analysis(GROUPED, "cpu", "", 2040))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("a prompt of 2040 and an output of 10 tokens exceed the context of tiny");
    }
}
