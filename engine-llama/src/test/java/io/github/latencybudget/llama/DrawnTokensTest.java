package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sampling through the whole engine. */
class DrawnTokensTest {

    private static final Sampling SAMPLING = new Sampling(0.9, 50, 0.95, 1.1, 7);
    private static final long[] PROMPT = {1, 700, 20, 333};

    private static LlamaSession session;

    @BeforeAll
    static void open() {
        session = Models.open("synthetic:tiny");
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static long[] drawn(LlamaSession session, Sampling sampling, long promptNumber, long... prompt) {
        LongStream.Builder ids = LongStream.builder();
        session.generate(prompt, new StopCondition(100, true, Set.of()), Draws.of(sampling, 100, promptNumber), ids);
        return ids.build().toArray();
    }

    @Test
    void equalSeedsGiveEqualIdsAndOtherSeedsOrPromptNumbersOthers() {
        long[] ids = drawn(session, SAMPLING, 3, PROMPT);

        assertThat(ids).hasSize(100);
        assertThat(drawn(session, SAMPLING, 3, PROMPT)).isEqualTo(ids);
        assertThat(drawn(session, SAMPLING, 4, PROMPT)).isNotEqualTo(ids);
        assertThat(drawn(session, SAMPLING.withSeed(8), 3, PROMPT)).isNotEqualTo(ids);
        try (LlamaSession again = Models.open("synthetic:tiny")) {
            assertThat(drawn(again, SAMPLING, 3, PROMPT)).isEqualTo(ids);
        }
    }

    /** The optimiser rewrites the program in its first runs, and has been seen to rewrite it wrongly. */
    @Test
    void theOptimiserChangesNothing() {
        long[] ids = drawn(session, SAMPLING, 3, PROMPT);
        try (LlamaSession optimised = Models.open("synthetic:tiny", "cpu", "", "jitOptimizer=on")) {
            for (int run = 1; run <= 4; run++) {
                assertThat(drawn(optimised, SAMPLING, 3, PROMPT))
                        .as("run %d", run)
                        .isEqualTo(ids);
            }
        }
    }

    @Test
    void drawingFromTheMostProbableAloneIsGreedy() {
        LongStream.Builder greedy = LongStream.builder();
        session.generate(PROMPT, new StopCondition(100, true, Set.of()), greedy);

        assertThat(drawn(session, new Sampling(0.9, 1).withTopK(1), 3, PROMPT))
                .isEqualTo(greedy.build().toArray());
    }

    /** So large a penalty that what was there comes again only when everything was. */
    @Test
    void thePenaltyIsAboutPromptAndOutput() {
        long[] ids = drawn(session, Sampling.GREEDY.withRepetitionPenalty(1e6), 3, PROMPT);

        Set<Long> seen = new HashSet<>();
        Arrays.stream(PROMPT).forEach(seen::add);
        assertThat(Arrays.stream(ids)).allMatch(seen::add);
    }

    @Test
    void everyRequestHasTheDeclaredLength() throws Exception {
        Generation generation = session.prepare(new GenerationRequest(20, 33, true, SAMPLING, 5));
        AtomicInteger tokens = new AtomicInteger();
        generation.run(tokens::incrementAndGet);

        assertThat(generation.promptTokens()).isEqualTo(20);
        assertThat(tokens).hasValue(33);
    }

    @Tag("gpu")
    @Test
    void theDrawsAreTheSameOnTheGpu() {
        Models.assumeCuda();
        try (LlamaSession cpu = Models.open(Models.stories().toString());
                LlamaSession gpu = Models.open(Models.stories().toString(), "cuda:0", "fp32")) {
            assertThat(drawn(gpu, SAMPLING, 3, 1)).startsWith(Arrays.copyOf(drawn(cpu, SAMPLING, 3, 1), 20));
        }
    }
}
