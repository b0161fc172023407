package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against Jackson, which reads the whole of what this reads piece by piece. */
class JsonScannerTest {

    private static final JsonMapper JACKSON = JsonMapper.builder()
            .enable(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** What was found, by field. */
    private static final class Found implements JsonScanner.Values {

        private final TreeMap<Field, String> values = new TreeMap<>();
        private final java.io.ByteArrayOutputStream text = new java.io.ByteArrayOutputStream();

        @Override
        public void text(Field field, byte[] bytes, int from, int to) {
            text.write(bytes, from, to - from);
        }

        @Override
        public void textEnd(Field field) {
            values.merge(field, text.toString(StandardCharsets.UTF_8), (a, b) -> a + "|" + b);
            text.reset();
        }

        @Override
        public void number(Field field, double value) {
            values.merge(field, String.valueOf(value), (a, b) -> a + "|" + b);
        }

        @Override
        public void structure(Field field) {
            values.merge(field, "...", (a, b) -> a + "|" + b);
        }
    }

    private static TreeMap<Field, String> scan(byte[] json, int... cuts) throws AnswerFault {
        Found found = new Found();
        JsonScanner scanner = new JsonScanner(found);
        int from = 0;
        for (int cut : cuts) {
            scanner.feed(json, from, cut);
            from = cut;
        }
        scanner.feed(json, from, json.length);
        scanner.end();
        return found.values;
    }

    static Stream<String> events() {
        return Stream.of(
                "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\\"b\\\\ \\n\\u00e9\\ud83d\\ude00中\"}}]}",
                "{\"usage\":{\"prompt_tokens_details\":{\"cached_tokens\":7},\"completion_tokens\":12},\"choices\":[]}",
                "{\"x\":{\"choices\":[{\"text\":\"not this\"}]},\"choices\":[{\"text\":\"this\"}]}",
                "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}",
                " { \"c\\u0068oices\" : [ { \"finish_reason\" : \"stop\" , \"token_ids\" : [ 1 , 22 , 333 ] } ] } ",
                "{\"timings\":{\"prompt_ms\":12.5e-1,\"predicted_n\":-0}}",
                "{\"error\":\"over\",\"deep\":[[[{\"a\":[]},{}]]],\"t\":true,\"f\":false,\"n\":null}");
    }

    @ParameterizedTest
    @MethodSource("events")
    void whereverItIsCutItIsTheSame(String event) throws AnswerFault {
        byte[] json = event.getBytes(StandardCharsets.UTF_8);
        TreeMap<Field, String> whole = scan(json);

        assertThat(whole).isNotEmpty();
        for (int a = 0; a <= json.length; a++) {
            for (int b = a; b <= json.length; b++) {
                assertThat(scan(json, a, b)).as("cut at %d and %d", a, b).isEqualTo(whole);
            }
        }
    }

    @Test
    void aFieldIsFoundByItsPlaceAndInAnyOrder() throws AnswerFault {
        assertThat(scan(events().skip(2).findFirst().orElseThrow().getBytes(StandardCharsets.UTF_8)))
                .containsExactlyInAnyOrderEntriesOf(
                        new TreeMap<>(java.util.Map.of(Field.CHOICES, "...", Field.CONTENT, "this")));
        assertThat(scan(events().findFirst().orElseThrow().getBytes(StandardCharsets.UTF_8)))
                .containsEntry(Field.CONTENT, "a\"b\\ \né😀中");
    }

    /** Mutations of events: what Jackson refuses is refused, and what it takes is taken. */
    @Test
    void itTakesWhatJacksonTakes() {
        SplittableRandom random = new SplittableRandom(5);
        List<String> events = events().toList();
        String alphabet = "{}[]\",:\\0123.eE+-tfnu ax";
        List<String> differing = new ArrayList<>();
        int taken = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder event = new StringBuilder(events.get(random.nextInt(events.size())));
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(event.length());
                char c = alphabet.charAt(random.nextInt(alphabet.length()));
                switch (random.nextInt(3)) {
                    case 0 -> event.setCharAt(at, c);
                    case 1 -> event.insert(at, c);
                    default -> event.deleteCharAt(at);
                }
            }
            boolean isTaken = isTaken(event.toString());
            taken += isTaken ? 1 : 0;
            if (isTaken != isTakenByJackson(event.toString())) {
                differing.add(event.toString());
            }
        }
        assertThat(differing).isEmpty();
        assertThat(taken).isBetween(2_000, 18_000);
    }

    private static boolean isTaken(String event) {
        try {
            scan(event.getBytes(StandardCharsets.UTF_8));
            return true;
        } catch (AnswerFault e) {
            return false;
        }
    }

    private static boolean isTakenByJackson(String event) {
        try {
            JsonNode node = JACKSON.readTree(event);
            return !node.isMissingNode();
        } catch (JacksonException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"c3", "c328", "80", "c080", "e08080", "eda080", "f08080", "f4908080", "f5808080", "ff", "e4b8"})
    void whatIsNotUtf8IsRefused(String hex) {
        byte[] text = java.util.HexFormat.of().parseHex(hex);
        byte[] json = new byte[text.length + 2];
        json[0] = '"';
        System.arraycopy(text, 0, json, 1, text.length);
        json[json.length - 1] = '"';

        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> scan(json)))
                .hasMessage("an event is not valid UTF-8: see what the server sends");
    }

    @Test
    void whatIsTooDeepIsRefused() {
        byte[] json = ("[".repeat(65) + "]".repeat(65)).getBytes(StandardCharsets.UTF_8);

        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> scan(json)))
                .hasMessage("an event is not valid JSON (it is nested deeper than 64): see what the server sends");
    }
}
