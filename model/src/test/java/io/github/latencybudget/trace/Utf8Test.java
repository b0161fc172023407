package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "ab", "größe", "模型\n"})
    void aMarkIsNoPartOfTheText(String text) throws IOException {
        for (byte[] bytes :
                new byte[][] {text.getBytes(StandardCharsets.UTF_8), ("\uFEFF" + text).getBytes(StandardCharsets.UTF_8)
                }) {
            assertThat(Utf8.text(bytes)).isEqualTo(text);
            assertThat(Utf8.withoutMark(new ByteArrayInputStream(bytes)).readAllBytes())
                    .isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "x-UTF-16LE-BOM"})
    void utf16IsNamed(String charset) {
        byte[] bytes = "{\"prompt\": 1}".getBytes(Charset.forName(charset));

        assertThatThrownBy(() -> Utf8.text(bytes))
                .isInstanceOf(Utf8.Fault.class)
                .hasMessage("is UTF-16, not UTF-8");
        assertThatThrownBy(() -> Utf8.withoutMark(new ByteArrayInputStream(bytes)))
                .hasMessage("is UTF-16, not UTF-8");
    }

    @Test
    void whatIsNoUtf8IsNoText() {
        assertThatThrownBy(() -> Utf8.text(new byte[] {'a', (byte) 0xE9, 'b'})).hasMessage("is not UTF-8");
    }
}
