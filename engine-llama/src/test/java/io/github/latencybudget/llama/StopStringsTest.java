package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class StopStringsTest {

    private static final long BOS = 1;

    private static LlamaTokenizer tokenizer;

    @BeforeAll
    static void load() {
        TorchEngine.quieten();
        tokenizer = TokenizerFile.open(Models.stories(), ConfigFile.read(Models.stories()))
                .orElseThrow()
                .load();
    }

    @AfterAll
    static void close() {
        if (tokenizer != null) {
            tokenizer.close();
        }
    }

    /** {@return after how many ids the output ends; 0 where it does not} */
    private static int end(long[] ids, long prompt, String... strings) {
        LongPredicate stop = new StopStrings(tokenizer, List.of(strings), new long[] {prompt}).start();
        for (int i = 0; i < ids.length; i++) {
            if (stop.test(ids[i])) {
                return i + 1;
            }
        }
        return 0;
    }

    /** The same, by decoding all that there is after every id. */
    private static int expected(long[] ids, String... strings) {
        for (int i = 1; i <= ids.length; i++) {
            String text = tokenizer.decode(Arrays.copyOf(ids, i)).replaceAll("\ufffd+$", "");
            if (Arrays.stream(strings).anyMatch(text::contains)) {
                return i;
            }
        }
        return 0;
    }

    @Test
    void aStringIsFoundWithTheTokenThatCompletesIt() {
        long[] ids = Models.storiesIds();

        for (String string : List.of("Once", " upon a", "e, th", "Lily", "girl named", ".", " ")) {
            assertThat(end(ids, BOS, string)).as(string).isPositive().isEqualTo(expected(ids, string));
        }
        assertThat(end(ids, BOS, "no such text", "Lily")).isEqualTo(expected(ids, "Lily"));
        assertThat(end(ids, BOS, "no such text")).isZero();
    }

    @Test
    void everyPieceOfAnyOutputIsFoundWhereDecodingAllFindsIt() {
        SplittableRandom random = new SplittableRandom(5);
        for (int run = 0; run < 200; run++) {
            // a third of them single bytes, so that letters of several bytes come up, whole and broken
            long[] ids = LongStream.generate(
                            () -> random.nextInt(3) == 0 ? random.nextInt(3, 259) : random.nextInt(259, 512))
                    .limit(40)
                    .toArray();
            String text = tokenizer.decode(ids);
            int from = random.nextInt(text.length() - 1);
            String piece = text.substring(from, Math.min(text.length(), from + 1 + random.nextInt(8)));
            if (!piece.contains("\ufffd") && !piece.isEmpty()) {
                assertThat(end(ids, BOS, piece))
                        .as("\"%s\" in \"%s\"", piece, text)
                        .isEqualTo(expected(ids, piece));
            }
        }
    }

    @Test
    void aLetterOfSeveralTokensIsFoundWithItsLast() {
        long[] ids = new long[10];
        byte[] bytes = "a\u20ac\ud83d\ude00z".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            // the ids of single bytes follow the three special ones
            ids[i] = 3 + (bytes[i] & 0xff);
        }
        ids = Arrays.copyOf(ids, bytes.length);

        assertThat(end(ids, BOS, "\u20ac")).isEqualTo(4);
        assertThat(end(ids, BOS, "\u20ac\ud83d\ude00")).isEqualTo(8);
        assertThat(end(ids, BOS, "a")).isEqualTo(1);
        assertThat(end(ids, BOS, "\ufffd")).isZero();
    }

    @Test
    void theFirstWordAfterAPromptHasItsSpace() {
        long[] ids = Models.storiesIds();
        String first = tokenizer.decode(Arrays.copyOf(ids, 1));

        assertThat(end(ids, ids[5], " " + first)).isEqualTo(1);
        assertThat(end(Arrays.copyOf(ids, 1), BOS, " " + first))
                .as("nothing is before it")
                .isZero();
    }

    @Test
    void anOutputEndsWithIt() throws Exception {
        try (LlamaSession session = Models.open(Models.stories().toString())) {
            Sampling greedy = Sampling.GREEDY;
            int free = tokens(session, new GenerationRequest(1, 100, false, greedy, 0, List.of()));
            int stopped = tokens(session, new GenerationRequest(1, 100, false, greedy, 0, List.of("Lily", "xyz")));

            assertThat(free).isEqualTo(100);
            assertThat(stopped).isEqualTo(expected(Models.storiesIds(), "Lily")).isLessThan(100);
            assertThat(tokens(session, new GenerationRequest(1, 100, true, greedy, 0)))
                    .isEqualTo(100);
        }
    }

    private static int tokens(LlamaSession session, GenerationRequest request) throws Exception {
        AtomicInteger tokens = new AtomicInteger();
        session.prepare(request).run(tokens::incrementAndGet);
        return tokens.get();
    }

    @Test
    void theyNeedATokenizer() {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            GenerationRequest request = new GenerationRequest(4, 4, false, Sampling.GREEDY, 0, List.of("x"));
            assertThatThrownBy(() -> session.prepare(request))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "stop strings need the model's tokenizer, and there is no tokenizer.json: ask for none, or use a model that has one");
        }
    }

    @Test
    void aGateThatIgnoresTheEndHasNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GenerationRequest(4, 4, true, Sampling.GREEDY, 0, List.of("x")))
                .withMessage("stopStrings = [x]: an output that ignores end-of-sequence has the declared length");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GenerationRequest(4, 4, false, Sampling.GREEDY, 0, List.of("x", "")))
                .withMessage("stopStrings = [x, ]: an empty text is in every output");
    }

    @Test
    void eachOutputStartsAnew() {
        long[] ids = Models.storiesIds();
        StopStrings stop = new StopStrings(tokenizer, List.of("Lily"), new long[] {BOS});
        StopCondition condition = new StopCondition(100, false, Set.of(), stop::start);
        for (int run = 0; run < 2; run++) {
            LongPredicate isLast = condition.start();
            int taken = 1;
            while (!isLast.test(ids[taken - 1])) {
                taken++;
            }
            assertThat(taken).isEqualTo(expected(ids, "Lily"));
        }
    }
}
