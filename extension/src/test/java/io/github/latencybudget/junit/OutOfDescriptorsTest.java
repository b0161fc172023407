package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What each part says to a user whose process may open no more files, in a JVM of its own with a limit of its own. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no limit of this kind")
class OutOfDescriptorsTest {

    private static final String BECAUSE =
            ", because this process has too many files and connections open: raise its limit (`ulimit -n`), or have fewer requests in flight";

    @TempDir
    Path folder;

    @Test
    void eachSaysThatTheProcessHasTooManyFilesOpen() throws Exception {
        Path printed = folder.resolve("printed");
        Process process = new ProcessBuilder(List.of(
                        "sh",
                        "-c",
                        "ulimit -n 200; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + folder,
                        // the JVM would raise its own limit
                        "-XX:-MaxFDLimit",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OutOfDescriptors.class.getName(),
                        folder.toString()))
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        List<String> said = Files.readAllLines(printed, StandardCharsets.UTF_8);

        assertThat(process.exitValue()).as("%s", said).isZero();
        assertThat(said.stream().filter(line -> line.matches("(record|lock|model|event loop|socket|name): .*")))
                .hasSize(6)
                .allSatisfy(line -> assertThat(line).contains(BECAUSE));
    }
}
