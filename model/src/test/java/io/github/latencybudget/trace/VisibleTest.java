package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VisibleTest {

    @Test
    void lettersOfAllLanguagesAndPairsOfSurrogatesStayAsTheyAre() {
        String text = "größer als 5 ms: 模型 모델 مودل, \uD83D\uDE00 \\u0041 100%s\tcell\nline";

        assertThat(Visible.text(text)).isEqualTo(text);
        assertThat(Visible.isVisible(text)).isTrue();
    }

    @Test
    void whatActsIsShownByItsNumber() {
        assertThat(Visible.text("a\0b\u001bc\u007fd\u009be")).isEqualTo("a\\u0000b\\u001Bc\\u007Fd\\u009Be");
        assertThat(Visible.text("a\uFFFEb\uFFFFc")).isEqualTo("a\\uFFFEb\\uFFFFc");
        assertThat(Visible.text("a\uD800b\uDC00")).isEqualTo("a\\uD800b\\uDC00");
        assertThat(Visible.text("a\u202Eb\u2066c\u200Fd\u061Ce")).isEqualTo("a\\u202Eb\\u2066c\\u200Fd\\u061Ce");
        assertThat(Visible.text("a\u200Bb\uFEFFc\u2028d")).isEqualTo("a\\u200Bb\\uFEFFc\\u2028d");
        assertThat(Visible.text("a\uDB40\uDC41b")).isEqualTo("a\\uDB40\\uDC41b");
    }

    @Test
    void aLineHasNoBreaks() {
        assertThat(Visible.line(" a\r\nb\nc\td\u0085e\rf ")).isEqualTo("a b c d e f");
        assertThat(Visible.text("a\r\nb\rc")).isEqualTo("a\nb\\u000Dc");
    }

    /** By the production for a character in XML 1.0. */
    @Test
    void onlyCharactersOfXmlAreLeft() {
        IntStream.rangeClosed(0, Character.MAX_CODE_POINT).forEach(c -> {
            String shown = Visible.text(new String(Character.toChars(c)));
            assertThat(shown.codePoints().allMatch(VisibleTest::isXml))
                    .as("U+%X", c)
                    .isTrue();
        });
    }

    static boolean isXml(int c) {
        return c == 0x9 || c == 0xA || c >= 0x20 && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000;
    }

    @Test
    void anExceptionPrintsVisibleCharactersWithItsCausesAndTheirPlaces() {
        Exception cyclic = new IllegalStateException("inner \uFFFE");
        IllegalArgumentException outer = new IllegalArgumentException("outer \u202E", cyclic);
        outer.addSuppressed(new UnsupportedOperationException("beside \0"));
        cyclic.addSuppressed(outer);

        StringWriter printed = new StringWriter();
        Visible.of(outer).printStackTrace(new PrintWriter(printed));

        assertThat(printed.toString())
                .contains("java.lang.IllegalArgumentException: outer \\u202E", "IllegalStateException: inner \\uFFFE")
                .contains("UnsupportedOperationException: beside \\u0000", "VisibleTest.java:")
                .doesNotContain("\uFFFE", "\u202E", "\0");
    }

    @Test
    void anExceptionOfVisibleCharactersIsItself() {
        Exception plain = new IllegalStateException("plain", new IllegalArgumentException());

        assertThat(Visible.of(plain)).isSameAs(plain);
        assertThat(Visible.of((Throwable) null)).isNull();
    }
}
