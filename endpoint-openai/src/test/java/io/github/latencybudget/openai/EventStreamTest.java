package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventStreamTest {

    private static List<String> events(byte[] bytes, int... cuts) throws AnswerFault {
        List<String> found = new ArrayList<>();
        StringBuilder data = new StringBuilder();
        EventStream stream = new EventStream(
                new EventStream.Events() {
                    @Override
                    public void data(byte[] of, int from, int to) {
                        data.append(new String(of, from, to - from, StandardCharsets.ISO_8859_1));
                    }

                    @Override
                    public void end() {
                        found.add(data.toString());
                        data.setLength(0);
                    }
                },
                1000);
        int from = 0;
        for (int cut : cuts) {
            stream.feed(bytes, from, cut);
            from = cut;
        }
        stream.feed(bytes, from, bytes.length);
        return found;
    }

    @ParameterizedTest
    @CsvSource({
        "'data: a|data: b||', 'a~b'",
        "'data:a||data:  b||', 'a, b'",
        "'data||data|data||', ',~'",
        "':comment||: data: x|data: a||', a",
        "'event: error|id: 7|retry: 10|data: a||', a",
        "'dat: x|datax: y| data: z|DATA: w||', ''",
        "'data: a|', ''",
        "'data: a: b||', 'a: b'",
        "'|||data: a||||', a"
    })
    void linesAreTakenApartAsTheStandardSays(String lines, String expected) throws AnswerFault {
        for (String end : List.of("\n", "\r\n", "\r")) {
            for (String mark : List.of("", "\u00EF\u00BB\u00BF")) {
                byte[] bytes = (mark + lines.replace("|", end)).getBytes(StandardCharsets.ISO_8859_1);
                for (int a = 0; a <= bytes.length; a++) {
                    for (int b = a; b <= bytes.length; b++) {
                        assertThat(String.join(",", events(bytes, a, b)))
                                .as("cut at %d and %d", a, b)
                                .isEqualTo(expected.replace("~", "\n"));
                    }
                }
            }
        }
    }

    @Test
    void anEventIsCompleteWithItsSecondLineEndAndNotWithTheByteAfter() throws AnswerFault {
        assertThat(events("data: a\r\n\r".getBytes(StandardCharsets.UTF_8))).containsExactly("a");
    }

    @Test
    void anEventThatDoesNotEndIsRefusedBeforeItFillsTheMemory() {
        assertThatThrownBy(() -> events(("data: " + "x".repeat(995)).getBytes(StandardCharsets.UTF_8)))
                .hasMessage(
                        "one event is longer than 1000 bytes: a token comes in some hundred; see what the server sends");
    }

    @Test
    void commentsDoNotAddUp() throws AnswerFault {
        assertThat(events((": keep-alive\n\n".repeat(200) + "data: a\n\n").getBytes(StandardCharsets.UTF_8)))
                .containsExactly("a");
    }
}
