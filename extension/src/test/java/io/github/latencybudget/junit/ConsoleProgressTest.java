package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleProgressTest {

    private static final long GIB = 1L << 30;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private long nanos = 17;

    private void pass(double seconds) {
        nanos += (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private ConsoleProgress lines() {
        return new ConsoleProgress(out, "ChatSlaTest.answers", Optional.empty(), () -> nanos);
    }

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void linesArePacedAndSayBytesRateAndTimeLeft() {
        ConsoleProgress progress = lines();
        progress.step("loading Llama-2-7b", 0, 12 * GIB, "bytes");
        for (int i = 1; i <= 12; i++) {
            pass(1);
            progress.step("loading Llama-2-7b", i * GIB, 12 * GIB, "bytes");
        }
        assertThat(printed()).isEqualTo("""
                        [latency-budget] ChatSlaTest.answers: loading Llama-2-7b, 5.0 of 12.0 GiB (41%), 1.07 GB/s, 7 s left
                        [latency-budget] ChatSlaTest.answers: loading Llama-2-7b, 10.0 of 12.0 GiB (83%), 1.07 GB/s, 2 s left
                        [latency-budget] ChatSlaTest.answers: loading Llama-2-7b, 12.0 GiB in 12.0 s, 1.07 GB/s
                        """);
    }

    @Test
    void aUnitThatIsWiderThanATerminalLeavesTheNameOut() {
        assertThat(new ProgressText("reading", 1, 2, "u".repeat(90), 0, 0).bar())
                .isEqualTo(".. [###   ]  50% 1 of 2 " + "u".repeat(90));
    }

    @Test
    void requestsHaveNoRateButATimeLeftAndNoLineAtTheirEnd() {
        ConsoleProgress progress = lines();
        progress.step("measuring", 1, 300, "requests");
        pass(6);
        progress.step("measuring", 7, 300, "requests");
        pass(200);
        progress.step("measuring", 300, 300, "requests");
        assertThat(printed())
                .isEqualTo("[latency-budget] ChatSlaTest.answers: measuring, 7 of 300 requests (2%), 4:53 min left\n");
    }

    @Test
    void whatMayEndBeforeItsTotalHasNoTimeLeft() {
        ConsoleProgress progress = lines();
        progress.step("warming up at 8 tokens", 1, 10, "runs at most");
        pass(6);
        progress.step("warming up at 8 tokens", 2, 10, "runs at most");
        assertThat(printed())
                .isEqualTo(
                        "[latency-budget] ChatSlaTest.answers: warming up at 8 tokens, 2 of 10 runs at most (20%)\n");
    }

    @Test
    void whatIsShortIsSilent() {
        ConsoleProgress progress = lines();
        progress.step("loading tiny", 0, 15 << 20, "bytes");
        pass(0.9);
        progress.step("loading tiny", 15 << 20, 15 << 20, "bytes");
        assertThat(printed()).isEmpty();
    }

    @Test
    void smallModelsAreInMebibytesAndSlowOnesInMegabytesPerSecond() {
        ConsoleProgress progress = lines();
        progress.step("hashing tiny", 0, 15 << 20, "bytes");
        pass(2);
        progress.step("hashing tiny", 15 << 20, 15 << 20, "bytes");
        assertThat(printed())
                .isEqualTo("[latency-budget] ChatSlaTest.answers: hashing tiny, 15.0 MiB in 2.0 s, 7.9 MB/s\n");
    }

    @Test
    void aBarIsDrawnInItsPlaceAtMostTenTimesASecondAndTakenAwayAtTheEnd() throws IOException {
        Path terminal = Files.createFile(folder.resolve("tty"));
        ConsoleProgress progress = new ConsoleProgress(
                out, "ChatSlaTest.answers", Optional.of(new TerminalLine(terminal, out)), () -> nanos);
        progress.step("loading Llama-2-7b", 0, 12 * GIB, "bytes");
        pass(0.05);
        progress.step("loading Llama-2-7b", GIB / 10, 12 * GIB, "bytes");
        pass(5.95);
        progress.step("loading Llama-2-7b", 6 * GIB, 12 * GIB, "bytes");
        assertThat(Files.readString(terminal))
                .isEqualTo(
                        "\r\u001b[?7lloading Llama-2-7b [########        ]  50% 6.0 of 12.0 GiB, 1.07 GB/s, 6 s left\u001b[K\u001b[?7h");
        assertThat(printed()).isEmpty();
        Files.writeString(terminal, "");
        pass(6);
        progress.step("loading Llama-2-7b", 12 * GIB, 12 * GIB, "bytes");
        assertThat(Files.readString(terminal)).isEqualTo("\r\u001b[K");
        assertThat(printed())
                .isEqualTo("[latency-budget] ChatSlaTest.answers: loading Llama-2-7b, 12.0 GiB in 12.0 s, 1.07 GB/s\n");
    }

    @Test
    void aBarThatIsBrokenOffIsTakenAwayOnce() throws IOException {
        Path terminal = Files.createFile(folder.resolve("tty"));
        ConsoleProgress progress = new ConsoleProgress(
                out, "ChatSlaTest.answers", Optional.of(new TerminalLine(terminal, out)), () -> nanos);
        progress.step("measuring", 1, 300, "requests");
        pass(1);
        progress.step("measuring", 7, 300, "requests");
        assertThat(Files.readString(terminal)).contains("measuring [", "2% 7 of 300 requests, 49 s left");
        Files.writeString(terminal, "");
        progress.close();
        assertThat(Files.readString(terminal)).isEqualTo("\r\u001b[K");
        Files.writeString(terminal, "");
        progress.close();
        assertThat(terminal).isEmptyFile();
    }

    @Test
    void whereTheTerminalCannotBeOpenedABarThatWasAskedForGoesToTheOutput() {
        TerminalLine line = new TerminalLine(folder.resolve("absent"), out);
        line.draw("50%");
        line.clear();
        assertThat(printed()).isEqualTo("\r\u001b[?7l50%\u001b[K\u001b[?7h\r\u001b[K");
    }

    @ParameterizedTest
    @CsvSource({
        "xterm-256color, , true",
        "xterm, false, true",
        "xterm, '', true",
        "xterm, true, false",
        "xterm, 1, false",
        "dumb, , false",
        "'', , false",
        ", , false"
    })
    void aBarNeedsATerminalThatIsNoneOfCi(String terminal, String ci, boolean canDraw) {
        Map<String, String> environment = new HashMap<>();
        environment.put("TERM", terminal);
        environment.put("CI", ci);
        assertThat(TerminalLine.canDraw(environment::get)).isEqualTo(canDraw);
    }

    @ParameterizedTest
    @CsvSource({
        "loading tiny, 0",
        "loading Llama-2-70b, 1",
        "'loading Llama-2-70b (layers 8, context 512)', 1",
        "'loading Llama-2-70b (layers 8, context 512)', 50",
        "hashing Llama-2-7b, 99"
    })
    void aBarFitsOnATerminal(String what, int percent) {
        ProgressText text = new ProgressText(
                what, percent * GIB, 100 * GIB, "bytes", percent * GIB, TimeUnit.SECONDS.toNanos(1 + percent));
        assertThat(text.bar()).hasSize(79).startsWith(what.substring(0, 12));
    }
}
