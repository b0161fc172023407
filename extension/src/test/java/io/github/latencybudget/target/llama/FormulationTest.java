package io.github.latencybudget.target.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However a prompt is computed, the result is the same. */
class FormulationTest {

    private static final String MODEL =
            "synthetic:hidden=256,intermediate=320,layers=3,heads=8,kvHeads=%d,vocab=999,context=512";

    @ParameterizedTest
    @CsvSource({"1, 8", "2, 8", "4, 8", "8, 8", "15, 8", "1, 2", "15, 2"})
    void everyFormulationGivesTheSame(int formulation, int kvHeads) {
        agrees(MODEL.formatted(kvHeads), "cpu", formulation);
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"1, 8", "2, 8", "4, 8", "8, 8", "15, 8", "15, 2"})
    void alsoOnTheGpu(int formulation, int kvHeads) {
        Models.assumeCuda();
        agrees(MODEL.formatted(kvHeads), "cuda:0", formulation);
    }

    private static void agrees(String model, String device, int formulation) {
        long[] prompt = new Prompts(1, 999, Set.of(2), 42).prompt(150, 1);
        try (LlamaSession session = Models.open(model, device, "fp32")) {
            float[] standard = session.logits(prompt);
            long[] ids = ids(session, prompt);
            session.decodeBy(program -> {
                program.formulate(formulation);
                return new PlainDecoding(program, "asked for", Optional.empty());
            });
            assertThat(Reference.relativeError(session.logits(prompt), standard))
                    .isLessThan(1e-5);
            assertThat(ids(session, prompt)).containsExactly(ids);
        }
    }

    private static long[] ids(LlamaSession session, long[] prompt) {
        session.makeRoom(prompt.length + 20);
        LongStream.Builder ids = LongStream.builder();
        session.generate(prompt, new DecodeLoop(20, true, Set.of()), ids);
        return ids.build().toArray();
    }
}
