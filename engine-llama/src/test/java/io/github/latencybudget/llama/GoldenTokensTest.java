package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real model gives, token by token, the text that is published for it. */
class GoldenTokensTest {

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void greedyDecodingGivesThePublishedTokens(String jitOptimizer) {
        try (LlamaSession session =
                Models.open(Models.stories().toString(), "cpu", "", "jitOptimizer=" + jitOptimizer)) {
            assertThat(greedy(session, 200)).containsExactly(Models.storiesIds());
            assertThat(greedy(session, 200)).as("second run").containsExactly(Models.storiesIds());
        }
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"plain, on", "plain, off", "kernels, on", "kernels, off"})
    void greedyDecodingOnTheGpuGivesThePublishedTokens(String decode, String jitOptimizer) {
        Models.assumeCuda();
        try (LlamaSession session = Models.open(
                Models.stories().toString(), "cuda:0", "fp32", "jitOptimizer=" + jitOptimizer, "decode=" + decode)) {
            assertThat(greedy(session, 200)).containsExactly(Models.storiesIds());
            assertThat(greedy(session, 200)).as("second run").containsExactly(Models.storiesIds());
        }
    }

    /** In half precision two nearly equal logits may change places, so only the beginning is compared. */
    @Tag("gpu")
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void greedyDecodingInHalfPrecisionBeginsWithThePublishedTokens(String jitOptimizer) {
        Models.assumeCuda();
        try (LlamaSession session =
                Models.open(Models.stories().toString(), "cuda:0", "fp16", "jitOptimizer=" + jitOptimizer)) {
            assertThat(session.description().details())
                    .containsEntry("decode", "plain, own kernels want intermediate_size = 172 to be a multiple of 8");
            assertThat(greedy(session, 200)).startsWith(Arrays.copyOf(Models.storiesIds(), 20));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64})
    void prefillAgreesWithSingleSteps(int tokens) {
        try (LlamaSession session = Models.open(Models.stories().toString())) {
            long[] ids = LongStream.concat(LongStream.of(1), Arrays.stream(Models.storiesIds()))
                    .limit(tokens)
                    .toArray();

            float[] all = session.logits(ids);
            float[] prefill = Arrays.copyOfRange(all, all.length - 512, all.length);
            float[] steps = session.logitsStepByStep(ids);

            assertThat(Reference.relativeError(prefill, steps)).isCloseTo(0, within(1e-5));
            assertThat(Reference.argmax(prefill)).isEqualTo(Reference.argmax(steps));
            assertThat((long) Reference.argmax(prefill)).isEqualTo(Models.storiesIds()[tokens - 1]);
        }
    }

    @Test
    void aPromptLeavesNoTraceInTheNext() {
        try (LlamaSession session = Models.open(Models.stories().toString())) {
            long[] other = LongStream.range(3, 203).toArray();
            session.generate(other, new StopCondition(200, true, Set.of(2)), id -> {});
            assertThat(greedy(session, 200)).containsExactly(Models.storiesIds());
        }
    }

    private static long[] greedy(LlamaSession session, int tokens) {
        LongStream.Builder ids = LongStream.builder();
        session.generate(new long[] {1}, new StopCondition(tokens, true, Set.of(2)), ids);
        return ids.build().toArray();
    }
}
