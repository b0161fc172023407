package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OneLineTest {

    @Test
    void aShortSentenceStaysAsItIs() {
        assertThat(OneLine.of("the engine said: <b>boom</b> 100%s")).isEqualTo("the engine said: <b>boom</b> 100%s");
    }

    @Test
    void severalLinesBecomeOneWithoutWhatATerminalActsOn() {
        assertThat(OneLine.of(" a\r\n\tb\0c\u001b[31m\n")).isEqualTo("a b\\u0000c\\u001B[31m");
    }

    @Test
    void whatIsTooLongIsCutAndSaysSo() {
        assertThat(OneLine.of("y".repeat(500))).isEqualTo("y".repeat(500));
        assertThat(OneLine.of("y".repeat(2_000_000))).isEqualTo("y".repeat(500) + "... (2000000 characters)");
        assertThat(OneLine.of(" ".repeat(5000) + "y")).isEqualTo("... (5001 characters)");
        assertThat(OneLine.of("yy\uD83D\uDE00", 3)).isEqualTo("yy... (4 characters)");
    }

    @Test
    void anExceptionWithoutAMessageGivesItsClass() {
        assertThat(OneLine.of(new IllegalStateException(), 9)).isEqualTo("java.lang.IllegalStateException");
        assertThat(OneLine.of(new IllegalStateException(" "), 9)).isEqualTo("java.lang.IllegalStateException");
        assertThat(OneLine.of(new IllegalStateException("a\nb"), 9)).isEqualTo("a b");
    }
}
