package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case 29: several JVMs of one run write into one folder, as two forks of Surefire or two threads of Maven do. */
class ForkedRecordsTest {

    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds()");
    private static final int ATTEMPTS = 20;

    @TempDir
    Path folder;

    @Test
    void noForkWritesOverAnotherAndOneReaderHasAllOfThem() throws IOException {
        List<Process> forks = List.of(fork("first"), fork("second"));

        // Each waits for a byte, so that they write at the same time.
        for (Process fork : forks) {
            fork.getOutputStream().write(1);
            fork.getOutputStream().flush();
        }
        for (Process fork : forks) {
            assertThat(new String(fork.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("written");
        }

        List<RecordStore.RecordFile> records =
                store(folder).read(Optional.empty()).records();
        assertThat(records)
                .extracting(r -> r.content().error())
                .containsExactlyInAnyOrderElementsOf(Stream.of("first", "second")
                        .flatMap(f -> IntStream.range(0, ATTEMPTS).mapToObj(i -> f + i))
                        .toList());
        assertThat(records).extracting(r -> r.content().attempt()).doesNotHaveDuplicates();
    }

    private Process fork(String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fork.class.getName(),
                        folder.toString(),
                        name)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static RecordStore store(Path folder) {
        return new RecordStore(folder, "run-1", Clock.systemUTC());
    }

    static final class Fork {

        public static void main(String[] arguments) throws IOException {
            RecordStore store = store(Path.of(arguments[0]));
            System.in.read();
            for (int i = 0; i < ATTEMPTS; i++) {
                store.start(GATE, "Chat").broken(arguments[1] + i);
            }
            System.out.print("written");
        }
    }
}
