package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Sampling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left behind: by models that were opened and closed, and by many tokens. */
class CleanlinessTest {

    private static final int CYCLES = 200;

    /** The JVM itself and the allocator go up and down by some of it; a tiny model that leaked would be 15 MB each time. */
    private static final long ALLOWED_BYTES = 24L << 20;

    /** Meanwhile the JVM compiles what it runs, which takes about 20 MB; a vector of the tiny model left per token would be 20 more. */
    private static final long ALLOWED_BESIDE_COMPILING = 36L << 20;

    @TempDir
    private Path folder;

    /** Opens a model, generates, closes it, again and again. */
    static final class OpenAndClose {

        private OpenAndClose() {}

        public static void main(String[] arguments) throws Exception {
            for (int i = 1; i <= CYCLES; i++) {
                try (TargetSession session =
                        new LlamaTarget().open(Models.spec(arguments[0], "cpu", ""), Progress.NONE)) {
                    generate(session, 8, 4, Sampling.GREEDY);
                }
                if (i == CYCLES / 4 || i == CYCLES) {
                    System.gc();
                    OwnJvm.print("after" + i, OwnJvm.memory("VmRSS"));
                }
            }
            OwnJvm.print("mapped", OwnJvm.mappedWeights());
            try (Stream<Path> left = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
                OwnJvm.print("temporary", left.count());
            }
        }
    }

    /** Generates many tokens with one session. Arguments: greedy or drawn, how many requests, after how many of them to look first. */
    static final class ManyTokens {

        private static final int TOKENS = 1000;

        private ManyTokens() {}

        public static void main(String[] arguments) throws Exception {
            Sampling sampling = arguments[0].equals("drawn") ? new Sampling(0.8, 40, 0.9, 1.1, 7) : Sampling.GREEDY;
            int requests = Integer.parseInt(arguments[1]);
            try (TargetSession session =
                    new LlamaTarget().open(Models.spec("synthetic:tiny", "cpu", ""), Progress.NONE)) {
                for (int i = 1; i <= requests; i++) {
                    generate(session, 48, TOKENS, sampling);
                    if (i == Integer.parseInt(arguments[2]) || i == requests) {
                        System.gc();
                        OwnJvm.print(i == requests ? "last" : "first", OwnJvm.memory("VmRSS"));
                    }
                }
            }
        }
    }

    private static void generate(TargetSession session, int prompt, int output, Sampling sampling) throws Exception {
        session.prepare(new GenerationRequest(prompt, output, true, sampling, 1))
                .run(() -> {});
        session.takeSteps();
    }

    @ParameterizedTest
    @ValueSource(strings = {"synthetic:tiny", "a folder"})
    void modelsThatWereClosedLeaveNothing(String model) throws IOException, InterruptedException {
        String opened = model.equals("a folder")
                ? ModelFolder.grouped(Dtype.BF16, 3)
                        .write(folder.resolve("model"))
                        .toString()
                : model;

        Map<String, Long> left = OwnJvm.run(folder, OpenAndClose.class, opened);

        assertThat(left.get("after" + CYCLES) - left.get("after" + CYCLES / 4)).isLessThan(ALLOWED_BYTES);
        assertThat(left.get("mapped")).isZero();
        assertThat(left.get("temporary")).isZero();
        assertThat(OwnJvm.temporary(folder)).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "drawn"})
    void tenThousandTokensLeaveNothing(String how) throws IOException, InterruptedException {
        Map<String, Long> left = OwnJvm.run(folder, ManyTokens.class, how, "14", "4");

        assertThat(left.get("last") - left.get("first")).isLessThan(ALLOWED_BESIDE_COMPILING);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "manyTokens",
            matches = "true",
            disabledReason = "takes minutes: -DmanyTokens=true runs it")
    void hundredThousandTokensLeaveNothing() throws IOException, InterruptedException {
        Map<String, Long> left = OwnJvm.run(folder, ManyTokens.class, "greedy", "100", "10");

        assertThat(left.get("last") - left.get("first")).isLessThan(ALLOWED_BYTES);
    }

    /** Each has its own cache, weights and latest token. */
    @Test
    void twoOpenModelsGenerateWhatEachGeneratesAlone() throws IOException {
        Path model = ModelFolder.grouped(Dtype.FP32, 1).write(folder.resolve("model"));
        long[] ids = {1, 17, 4, 99, 250};
        long[] tiny;
        long[] small;
        try (LlamaSession alone = Models.open("synthetic:tiny")) {
            tiny = greedy(alone, ids, 40);
        }
        try (LlamaSession alone = Models.open(model.toString())) {
            small = greedy(alone, ids, 40);
        }
        assertThat(tiny).isNotEqualTo(small);
        try (LlamaSession one = Models.open("synthetic:tiny");
                LlamaSession other = Models.open(model.toString())) {
            for (int i = 0; i < 2; i++) {
                assertThat(greedy(one, ids, 40)).isEqualTo(tiny);
                assertThat(greedy(other, ids, 40)).isEqualTo(small);
            }
        }
    }

    private static long[] greedy(LlamaSession session, long[] ids, int output) {
        LongStream.Builder greedy = LongStream.builder();
        session.generate(ids, new StopCondition(output, true, Set.of()), greedy);
        return greedy.build().toArray();
    }
}
