package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.ScriptedServerCommand;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the command prints at its end is what other programs are held against. */
class ScriptedServerCommandTest {

    private static final long TTFT_NANOS = 20_000_000;
    private static final int TOKENS = 4;

    @Test
    void aLinePerRequestHasItsArrivalAndThenItsSendTimes() throws Exception {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ScriptedServerCommand.class.getName(),
                        "0",
                        "20",
                        "1")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = server.inputReader();
                TargetSession session = Requests.open(out.readLine(), Map.of("header.x-request-id", "mine"))) {
            Requests.run(session, 8, TOKENS, true, 1);
            server.getOutputStream().close();

            List<String> lines = out.lines().toList();
            String[] last = lines.get(lines.size() - 1).split(" ");
            long[] nanos =
                    Arrays.stream(last).skip(1).mapToLong(Long::parseLong).toArray();
            assertThat(last[0]).isEqualTo("mine");
            assertThat(nanos)
                    .as("the arrival, each token, and the usage")
                    .hasSize(1 + TOKENS + 1)
                    .isSorted();
            assertThat(nanos[1] - nanos[0]).isGreaterThanOrEqualTo(TTFT_NANOS);
        } finally {
            server.destroy();
        }
    }
}
