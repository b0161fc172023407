package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlamaSessionTest {

    /** Half a MiB of KV cache per token in fp32: no machine holds its context. */
    private static final String MUCH_CACHE =
            "synthetic:hidden=256,intermediate=8,layers=256,heads=64,vocab=16,context=1000000";

    private static final long[] PROMPT = new Prompts(1, 2048, Set.of(2), 42).prompt(48, 1);

    private static LlamaSession session;

    @BeforeAll
    static void open() {
        session = Models.open("synthetic:tiny");
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static GenerationRequest request(int prompt, int output) {
        return new GenerationRequest(prompt, output, true, Sampling.GREEDY, 3);
    }

    private static int tokens(Generation generation) throws Exception {
        AtomicInteger tokens = new AtomicInteger();
        generation.run(tokens::incrementAndGet);
        return tokens.get();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 5", "2, 1", "77, 9", "2000, 48"})
    void generatesExactlyTheDeclaredNumberOfTokens(int prompt, int output) throws Exception {
        Generation generation = session.prepare(request(prompt, output));
        assertThat(generation.promptTokens()).isEqualTo(prompt);
        assertThat(tokens(generation)).isEqualTo(output);
    }

    @Test
    void aRequestStaysValidWhenALargerOrSmallerOneIsPreparedAfterIt() throws Exception {
        Generation first = session.prepare(request(40, 10));
        Generation larger = session.prepare(request(400, 10));
        Generation smaller = session.prepare(request(4, 2));
        assertThat(tokens(first)).isEqualTo(10);
        assertThat(tokens(larger)).isEqualTo(10);
        assertThat(tokens(smaller)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 5 | a prompt of 0 tokens cannot be made: it has at least 1, the BOS token",
                "5 | 0 | an output of 0 tokens cannot be generated: ask for at least 1",
                "2000 | 49 | a prompt of 2000 and an output of 49 tokens exceed the context of tiny, 2048 tokens: ask for less",
                "2147483647 | 2147483647 | a prompt of 2147483647 and an output of 2147483647 tokens exceed the context of tiny,"
                        + " 2048 tokens: ask for less"
            })
    void lengthsThatCannotBeAreRefused(int prompt, int output, String message) {
        assertThatThrownBy(() -> session.prepare(request(prompt, output)))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message);
    }

    @Test
    void aSinkThatUsesTheSessionIsRefused() throws Exception {
        Generation generation = session.prepare(request(3, 2));
        assertThatThrownBy(() -> generation.run(() -> session.prepare(request(3, 1))))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("tiny was used from within a sink: a sink takes a token and returns");
        assertThat(tokens(session.prepare(request(3, 4)))).isEqualTo(4);
    }

    @Test
    void aGenerationRunsOnce() throws Exception {
        Generation generation = session.prepare(request(3, 2));
        assertThat(tokens(generation)).isEqualTo(2);
        assertThatThrownBy(() -> tokens(generation)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailingSinkLeavesTheSessionUsable() throws Exception {
        Generation generation = session.prepare(request(3, 4));
        TokenSink failing = () -> {
            throw new IllegalStateException("stopped by the load driver");
        };
        assertThatThrownBy(() -> generation.run(failing)).hasMessage("stopped by the load driver");
        assertThat(tokens(session.prepare(request(3, 4)))).isEqualTo(4);
    }

    @Test
    void aClosedSessionSaysSo() {
        LlamaSession closed = Models.open("synthetic:tiny");
        Generation generation = closed.prepare(request(3, 1));
        closed.close();
        closed.close();
        assertThatThrownBy(() -> generation.run(() -> {}))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("the session of tiny is closed: open it again");
        assertThatThrownBy(() -> closed.prepare(request(3, 1)))
                .hasMessage("the session of tiny is closed: open it again");
    }

    @Test
    void equalSeedsGiveEqualLogits() {
        long[] ids = {1, 7, 300, 2047};
        float[] logits = session.logits(ids);
        assertThat(logits).hasSize(4 * 2048);
        try (LlamaSession again = Models.open("synthetic:tiny");
                LlamaSession other = LlamaTarget.openLlama(
                        new TargetSpec("synthetic:tiny", "cpu", "", 43, new TreeMap<>()), Progress.NONE)) {
            assertThat(again.logits(ids)).isEqualTo(logits);
            assertThat(Reference.relativeError(other.logits(ids), logits)).isGreaterThan(0.1);
        }
    }

    @Test
    void memoryThatRunsOutIsNamedAndLeavesTheSessionUsable() throws Exception {
        try (LlamaSession small = Models.open(MUCH_CACHE)) {
            assertThatThrownBy(() -> small.prepare(request(16, 900_000)))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageMatching(
                            "out of memory on cpu: Llama \\(.*\\) in fp32 needs 0\\.26 GiB for weights \\(loaded\\) and"
                                    + " 439\\.46 GiB for the KV cache of 900016 tokens, and .* GiB were free; use a smaller model,"
                                    + " prompt or output, or a larger device");
            assertThat(tokens(small.prepare(request(2, 2)))).isEqualTo(2);
        }
    }

    @Tag("gpu")
    @Test
    void deviceMemoryThatRunsOutIsNamedAndLeavesTheSessionUsable() throws Exception {
        Models.assumeCuda();
        try (LlamaSession gpu = Models.open(MUCH_CACHE, "cuda:0", "fp16")) {
            assertThatThrownBy(() -> gpu.prepare(request(16, 900_000)))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageStartingWith("out of memory on cuda:0: Llama (");
            assertThat(tokens(gpu.prepare(request(2, 2)))).isEqualTo(2);
        }
    }

    @Tag("gpu")
    @Test
    void tenThousandTokensLeaveDeviceAndResidentMemoryFlatOnTheGpu() {
        Models.assumeCuda();
        try (LlamaSession gpu = Models.open("synthetic:llama2-7b", "cuda:0", "fp16")) {
            assertFlat(gpu, LlamaSessionTest::thousandTokens, List.of(Host::residentBytes, gpu::deviceMemoryBytes));
        }
    }

    private static void thousandTokens(LlamaSession session) {
        session.generate(PROMPT, new StopCondition(1000, true, Set.of()), id -> {});
    }

    /** Generates 4,000 tokens, then reads the memories before and after 10,000 more. */
    private static void assertFlat(
            LlamaSession session, Consumer<LlamaSession> thousandTokens, List<Supplier<OptionalLong>> memories) {
        for (int i = 0; i < 4; i++) {
            thousandTokens.accept(session);
        }
        long[] before = read(memories);
        for (int i = 0; i < 10; i++) {
            thousandTokens.accept(session);
        }
        long[] after = read(memories);
        for (int i = 0; i < memories.size(); i++) {
            System.out.printf(
                    "10,000 tokens on %s: %d bytes before, %d after%n",
                    session.description().device(), before[i], after[i]);
            assertThat((double) after[i] / before[i])
                    .as("%d bytes before, %d after", before[i], after[i])
                    .isLessThan(1.02);
        }
    }

    private static long[] read(List<Supplier<OptionalLong>> memories) {
        System.gc();
        return memories.stream().mapToLong(m -> m.get().orElseThrow()).toArray();
    }
}
