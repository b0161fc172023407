package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own, with and without a terminal around it. */
class TerminalLineTest {

    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final String FRAME = "\r\u001b[?7lworking [";

    @TempDir
    private Path folder;

    /** Works for 1.2 seconds, in six steps. */
    static final class Work {

        private Work() {}

        public static void main(String[] arguments) throws InterruptedException {
            TerminalLine.Style style = TerminalLine.Style.valueOf(arguments[0]);
            try (ConsoleProgress progress =
                    new ConsoleProgress(System.out, "Gate.m", TerminalLine.find(style), System::nanoTime)) {
                for (int i = 0; i <= 6; i++) {
                    progress.step("working", (i << 20) / 6, 1 << 20, "bytes");
                    Thread.sleep(i < 6 ? 200 : 0);
                }
            }
        }
    }

    private static List<String> work(String style) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Work.class.getName(),
                style);
    }

    private String output(String terminal, List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("CI");
        builder.environment().put("TERM", terminal);
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    private String onATerminal(String terminal, String style) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(SCRIPT), SCRIPT + " is absent: there is no terminal to test on");
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString(), "-qec"));
        command.add("'" + String.join("' '", work(style)) + "'");
        command.add("/dev/null");
        return output(terminal, command);
    }

    @Test
    void onATerminalThereIsABarAndALineAtItsEnd() throws IOException, InterruptedException {
        String output = onATerminal("xterm", "AUTO");
        assertThat(output).contains(FRAME + "#", "0.5 of 1.0 MiB, ");
        assertThat(output)
                .containsPattern("\r\u001b\\[K\\[latency-budget\\] Gate\\.m: working, 1\\.0 MiB in \\d+\\.\\d s, ");
    }

    @Test
    void onADumbTerminalThereAreLines() throws IOException, InterruptedException {
        assertThat(onATerminal("dumb", "AUTO")).startsWith("[latency-budget] Gate.m: working, 1.0 MiB in ");
    }

    @Test
    void onATerminalLinesCanBeAskedFor() throws IOException, InterruptedException {
        assertThat(onATerminal("xterm", "LINES")).startsWith("[latency-budget] Gate.m: working, 1.0 MiB in ");
    }

    @Test
    void inAFileThereAreLinesOnly() throws IOException, InterruptedException {
        assertThat(output("xterm", work("AUTO")))
                .matches("\\[latency-budget] Gate\\.m: working, 1\\.0 MiB in \\d+\\.\\d s, [0-9.]+ MB/s\\R");
    }
}
