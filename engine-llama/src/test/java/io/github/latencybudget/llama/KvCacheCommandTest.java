package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Layer;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvCacheCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int run(String... arguments) {
        return KvCacheCommand.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void printsATableAndWritesARowForEachLayerAndReading() throws IOException {
        Path csv = folder.resolve("kv.csv");

        assertThat(run("dtype=bf16", "promptTokens=20", "outputTokens=10", "generations=3", "csv=" + csv))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("KV cache of tiny, bf16, on cpu: use_cache on, prompt 20, output 10")
                .contains("2 x 4 KV heads x 32 x 2 bytes = 512 bytes (8 query heads do not count)")
                .contains(
                        "note: growth by generation is not judged: it takes 9 generations with decode steps, and there are 3")
                .contains("no finding: 44 readings of 4 layers are as expected")
                .endsWith(csv + "\n");
        List<String> rows = Files.readAllLines(csv);
        assertThat(rows).hasSize(1 + 44 * 4);
        assertThat(rows.get(0)).startsWith("generation,step,layer,expected_shape,shape,");
        assertThat(rows.get(rows.size() - 1))
                .matches("3,9,3,30x8x32,30x8x32,bf16,bf16,15360,15360,29,29,29,61440,61440,\\d+");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "promptTokens | Give arguments as name=value, such as promptTokens=128; \"promptTokens\" is none.",
                "promptTokens=many | promptTokens = many is not allowed: use a whole number",
                "useCache=no | option useCache = no is not allowed: use on, off or adaptive",
                "prompt=8 | option prompt is not known to the Llama target: its options are decode, hash, jitOptimizer, threads, useCache, useCacheFrom",
                "seed=many | seed = many is not allowed: use a whole number",
                "generations=0 | generations = 0 is not allowed: ask for at least 1 beside the warm-up",
                "promptTokens=0 | a prompt of 0 tokens cannot be made: it has at least 1, the BOS token",
            })
    void whatCannotBeAnalysedIsSaid(String argument, String message) {
        assertThat(run(argument)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines(message + "\n");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void anArgumentThatIsGivenTwiceIsRefused() {
        assertThat(run("promptTokens=8", "promptTokens=9")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualToNormalizingNewlines("Give each argument once; promptTokens is given twice.\n");
    }

    @Test
    void takesTheSeedsThatTheSettingsTake() {
        assertThat(run("seed=-4000000000", "promptTokens=4", "outputTokens=2", "generations=1"))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
    }

    @Test
    void layersThatAreAlikeShareALineAndOthersHaveTheirOwn() {
        Expected expected = new Expected("tiny", "cpu", "on", true, "fp32", 4, 5, 8, 4, 32, 16, 2);
        Layer right = expected.layer(0);
        Layer gap = new Layer(right.shape(), "fp32", right.bytes(), 15, 18);
        Step step = new Step(1, 0, OptionalLong.empty(), expected.bytes(), List.of(right, right, gap, right, right));

        assertThat(KvCacheAnalysis.evaluate(expected, List.of(step)).toString().lines())
                .contains(
                        "1          prefill     0-1,3-4 [18, 8, 32]          fp32          18,432        16 of 16           92,160       unknown",
                        "1          prefill     2       [18, 8, 32]          fp32          18,432  15 to 18 of 16           92,160       unknown")
                .last()
                .asString()
                .startsWith("FINDING FILLED_BEYOND: layer 2 filled up to place 18, expected 16");
    }
}
