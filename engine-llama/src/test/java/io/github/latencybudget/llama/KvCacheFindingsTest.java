package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Finding;
import io.github.latencybudget.llama.KvCacheAnalysis.Kind;
import io.github.latencybudget.llama.KvCacheAnalysis.Layer;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongBinaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Each thing that can be wrong with a KV cache, in readings that are made up. */
class KvCacheFindingsTest {

    private static final long MIB = 1 << 20;

    /** 4,096 bytes per token in all layers. */
    private static final Expected CACHED = expected(true, "on");

    private static final Expected UNCACHED = expected(false, "from prompts of 32 tokens on");

    /** 1 MiB per token in all layers, for the rules of memory. */
    private static final Expected LARGE =
            new Expected("large", "cuda:0", "on", true, "fp16", 2, 32, 64, 64, 128, 16, 25);

    private static Expected expected(boolean cached, String mode) {
        return new Expected("tiny", "cpu", mode, cached, "fp32", 4, 4, 8, 4, 32, 16, 13);
    }

    /** What is read where all is well: a warm-up and some generations with memory that does not move. */
    private static List<Step> healthy(Expected expected, int generations) {
        List<Step> steps = new ArrayList<>();
        for (int generation = 0; generation <= generations; generation++) {
            for (int step = Step.OPENED; step < expected.outputTokens(); step++) {
                steps.add(new Step(
                        generation,
                        step,
                        OptionalLong.of(500 * MIB),
                        expected.bytes(),
                        Collections.nCopies(expected.layers(), expected.layer(step))));
            }
        }
        return steps;
    }

    private static List<Step> withLayer(List<Step> steps, int layer, int fromStep, UnaryOperator<Layer> change) {
        return steps.stream()
                .map(s -> {
                    List<Layer> layers = new ArrayList<>(s.layers());
                    if (s.step() >= fromStep) {
                        layers.set(layer, change.apply(layers.get(layer)));
                    }
                    long held = layers.stream().mapToLong(Layer::bytes).sum();
                    return new Step(s.generation(), s.step(), s.memoryBytes(), held, layers);
                })
                .toList();
    }

    private static List<Step> withLayers(List<Step> steps, UnaryOperator<Layer> change) {
        List<Step> changed = steps;
        for (int layer = 0; layer < steps.get(0).layers().size(); layer++) {
            changed = withLayer(changed, layer, Step.OPENED, change);
        }
        return changed;
    }

    private static Layer filled(Layer layer, long filled, long end) {
        return new Layer(layer.shape(), layer.dtype(), layer.bytes(), filled, end);
    }

    private static List<Finding> findings(Expected expected, List<Step> steps) {
        return KvCacheAnalysis.evaluate(expected, steps).findings();
    }

    @Test
    void whereAllIsWellThereIsNone() {
        assertThat(findings(CACHED, healthy(CACHED, 9))).isEmpty();
        assertThat(findings(UNCACHED, healthy(UNCACHED, 9))).isEmpty();
        assertThat(findings(LARGE, healthy(LARGE, 9))).isEmpty();
    }

    @Test
    void queryHeadsInPlaceOfKvHeadsAreNamed() {
        List<Step> steps = withLayers(
                healthy(CACHED, 1), l -> new Layer(List.of(29L, 16L, 32L), "fp32", 59392, l.filled(), l.filledEnd()));
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.SIZE,
                                "layers 0-3 [29, 16, 32] fp32, 59,392 bytes, expected [29, 8, 32] fp32, 29,696 bytes (first at generation 0, opened; at 28 of 28 readings): these are the 8 query heads, but a cache has the 4 KV heads (num_key_value_heads); allocate by those"));
    }

    @Test
    void aLayerOfAnotherTypeIsFoundAlone() {
        List<Step> steps = withLayer(
                healthy(CACHED, 1), 2, 5, l -> new Layer(l.shape(), "fp16", l.bytes() / 2, l.filled(), l.filledEnd()));
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.SIZE,
                                "layer 2 [29, 8, 32] fp16, 14,848 bytes, expected [29, 8, 32] fp32, 29,696 bytes (first at generation 0, decode 5; at 16 of 28 readings): the cache is not of the type that the model computes in; see where it is allocated"));
    }

    @Test
    void aCacheThatIsMadeAnewForEachStepIsFound() {
        List<Step> steps = withLayer(
                healthy(CACHED, 1),
                0,
                1,
                l -> new Layer(List.of(17L, 8L, 32L), "fp32", 17408, l.filled(), l.filledEnd()));
        assertThat(findings(CACHED, steps))
                .extracting(Finding::text)
                .singleElement()
                .asString()
                .startsWith("layer 0 [17, 8, 32] fp32, 17,408 bytes, expected [29, 8, 32] fp32, 29,696 bytes")
                .contains("another number of tokens than prompt + output = 29");
    }

    @Test
    void bytesThatDoNotFitTheShapeAreFound() {
        List<Step> steps = withLayer(
                healthy(CACHED, 1),
                3,
                Step.OPENED,
                l -> new Layer(l.shape(), l.dtype(), l.bytes() + 4, l.filled(), l.filledEnd()));
        assertThat(findings(CACHED, steps))
                .extracting(Finding::text)
                .singleElement()
                .asString()
                .startsWith("layer 3 [29, 8, 32] fp32, 29,700 bytes, expected [29, 8, 32] fp32, 29,696 bytes")
                .contains("compare num_key_value_heads and head_dim");
    }

    @Test
    void aCacheWhereNoneShouldBeIsFound() {
        List<Step> steps = withLayers(healthy(UNCACHED, 1), l -> CACHED.layer(Step.OPENED));
        assertThat(findings(UNCACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.SIZE,
                                "layers 0-3 [29, 8, 32] fp32, 29,696 bytes, expected no cache (first at generation 0, opened; at 28 of 28 readings): use_cache is from prompts of 32 tokens on, and a prompt of 16 tokens should have no cache; see where its slot is opened"));
    }

    @Test
    void aCacheThatIsMissingIsFound() {
        List<Step> steps = withLayers(healthy(CACHED, 1), l -> UNCACHED.layer(0));
        assertThat(findings(CACHED, steps))
                .extracting(Finding::text)
                .singleElement()
                .asString()
                .startsWith("layers 0-3 no cache, expected [29, 8, 32] fp32, 29,696 bytes")
                .contains("use_cache is on, and a prompt of 16 tokens should have a cache");
    }

    @Test
    void aLayerTooFewIsFound() {
        List<Step> steps = healthy(CACHED, 1).stream()
                .map(s -> new Step(
                        s.generation(),
                        s.step(),
                        s.memoryBytes(),
                        s.heldBytes() * 3 / 4,
                        s.layers().subList(1, 4)))
                .toList();
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.SIZE,
                                "3 layers, expected 4 (first at generation 0, opened; at 28 of 28 readings): see num_hidden_layers of config.json"));
    }

    @Test
    void placesThatStayEmptyAreFound() {
        List<Step> steps = withLayer(healthy(CACHED, 1), 1, 3, l -> filled(l, l.filled() - 1, l.filledEnd()));
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.NOT_FILLED,
                                "layer 1 18 of 19 places filled (first at generation 0, decode 3; at 20 of 28 readings): attention takes the zeros of the rest for keys and values; see what the program copies into the cache, and at which places"));
    }

    @Test
    void placesThatAreFilledTooEarlyAreFound() {
        List<Step> steps = withLayers(healthy(CACHED, 1), l -> filled(l, l.filled() + 1, l.filledEnd() + 1));
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.FILLED_BEYOND,
                                "layers 0-3 filled up to place 1, expected 0 (first at generation 0, opened; at 28 of 28 readings): a new cache is all zeros; it may be that of another sequence"));
    }

    @Test
    void aTokenAtAWrongPlaceLeavesAGapAndIsBeyond() {
        List<Step> steps = withLayer(healthy(CACHED, 1), 2, 1, l -> filled(l, l.filled(), l.filledEnd() + 1));
        assertThat(findings(CACHED, steps))
                .extracting(Finding::text)
                .containsExactly(
                        "layer 2 filled up to place 18, expected 17 (first at generation 0, decode 1; at 24 of 28 readings): a step wrote where no token is yet; see the places that steps start at");
    }

    @Test
    void aCacheOfASequenceThatEndedIsFound() {
        List<Step> steps = healthy(CACHED, 2).stream()
                .map(s -> new Step(
                        s.generation(), s.step(), s.memoryBytes(), s.heldBytes() * (1 + s.generation()), s.layers()))
                .toList();
        assertThat(findings(CACHED, steps))
                .containsExactly(
                        new Finding(
                                Kind.HELD,
                                "the program holds 237,568 bytes of caches, and its only sequence has 118,784 (first at generation 1, opened; at 28 of 42 readings): a cache of a sequence that ended was not given up; see who closes its slot"));
    }

    /** Memory after each reading of {@link #LARGE}: what is added to 500 MiB, by generation and step. */
    private static List<Step> withMemory(int generations, LongBinaryOperator added) {
        return healthy(LARGE, generations).stream()
                .map(s -> new Step(
                        s.generation(),
                        s.step(),
                        OptionalLong.of(500 * MIB + added.applyAsLong(s.generation(), s.step())),
                        s.heldBytes(),
                        s.layers()))
                .toList();
    }

    @Test
    void memoryThatGrowsWithEachTokenIsFound() {
        assertThat(findings(LARGE, withMemory(3, (generation, step) -> step * MIB)))
                .containsExactly(
                        new Finding(
                                Kind.GROWTH_BY_STEP,
                                "memory grew by 1,048,576 bytes per decode step, 16,777,216 bytes within 16 (the keys and values of one token: 1,048,576 bytes): the cache is allocated before the prefill, so see what a step allocates and does not free"));
    }

    @Test
    void memoryThatGrowsWithEachGenerationIsFound() {
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> generation * 41 * MIB)))
                .containsExactly(
                        new Finding(
                                Kind.GROWTH_BY_GENERATION,
                                "memory grew by 42,991,616 bytes per generation, 257,949,696 bytes within 6 (the keys and values of one sequence: 42,991,616 bytes): each gives its cache up or hands it to the next, so see what outlives a generation"));
    }

    @Test
    void theLimitsOfGrowthAreExact() {
        // 8 MiB in 16 steps are both the tolerance and half a token in each
        assertThat(findings(LARGE, withMemory(3, (generation, step) -> step * MIB / 2)))
                .isEmpty();
        assertThat(findings(LARGE, withMemory(3, (generation, step) -> step * (MIB / 2 + 1))))
                .extracting(Finding::kind)
                .containsExactly(Kind.GROWTH_BY_STEP);
        // half a sequence is 20.5 MiB
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> generation * 41 * MIB / 2)))
                .isEmpty();
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> generation * (41 * MIB / 2 + 1))))
                .extracting(Finding::kind)
                .containsExactly(Kind.GROWTH_BY_GENERATION);
    }

    @Test
    void oddReadingsAreNoGrowth() {
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> step == 23 ? 900 * MIB : 0)))
                .as("one reading of each generation")
                .isEmpty();
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> generation == 9 ? step * 9 * MIB : 0)))
                .as("one generation that grew, and came back")
                .isEmpty();
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> generation == 0 ? 0 : 300 * MIB)))
                .as("after the warm-up")
                .isEmpty();
        assertThat(findings(LARGE, withMemory(9, (generation, step) -> step < 1 ? 0 : 300 * MIB)))
                .as("after the prefill")
                .isEmpty();
    }

    @Test
    void whatCannotBeJudgedIsSaid() {
        List<Step> unread = healthy(CACHED, 1).stream()
                .map(s -> new Step(s.generation(), s.step(), OptionalLong.empty(), s.heldBytes(), s.layers()))
                .toList();
        assertThat(KvCacheAnalysis.evaluate(CACHED, unread).notes())
                .containsExactly("growth of memory is not judged: it cannot be read here");
        List<Step> few = healthy(CACHED, 2).stream().filter(s -> s.step() < 9).toList();
        assertThat(KvCacheAnalysis.evaluate(CACHED, few).notes())
                .containsExactly(
                        "growth by step is not judged: it takes 9 decode steps, and there are 8; ask for 10 output tokens",
                        "growth by generation is not judged: it takes 9 generations with decode steps, and there are 2");
    }

    @Test
    void whatWouldNotBeSeenIsSaid() {
        assertThat(KvCacheAnalysis.evaluate(CACHED, healthy(CACHED, 9)).notes())
                .containsExactly(
                        "memory moved by 0 bytes per decode step; from 1,048,576 on it would be a finding (the keys and values of one token: 4,096 bytes)",
                        "memory moved by 0 bytes per generation; from 1,398,102 on it would be a finding (the keys and values of one sequence: 118,784 bytes)");
    }
}
