package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The same bytes come out on machines of other languages, zones, encodings and line separators, each a JVM of its own. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "its encoding of names of files follows from LC_ALL")
class EveryLocaleTest {

    /** The times of a gate that is run are those of the clock. */
    private static final String OF_THE_CLOCK = "gate/(records/.*json|report.json|index.html|summary.md)";

    @TempDir
    Path folder;

    @Test
    void theBytesAreTheSameEverywhere() throws Exception {
        Process arabic = start(
                "arabic",
                "C.UTF-8",
                "-Duser.language=ar",
                "-Duser.country=EG",
                "-Duser.timezone=Asia/Kathmandu",
                "-Dfile.encoding=ISO-8859-1",
                "-Dline.separator=\r\n");
        Process thai = start(
                "thai",
                "C",
                "-Duser.language=th",
                "-Duser.country=TH",
                "-Duser.extensions=u-nu-thai",
                "-Dfile.encoding=US-ASCII");
        Process turkish = start("turkish", "C.UTF-8", "-Duser.language=tr", "-Duser.country=TR");
        Process english = start("english", "C.UTF-8", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC");

        assertThat(said("english", english)).isEqualTo("15 I UTC UTF-8 1");
        assertThat(said("arabic", arabic)).matches("[^1]+ I Asia/Kathmandu ISO-8859-1 2");
        assertThat(said("thai", thai)).matches("[^1]+ I .* US-ASCII 1");
        assertThat(said("turkish", turkish)).matches("15 [^I]+ .* UTF-8 1");

        Map<String, String> expected = files("english");
        assertThat(expected)
                .containsKeys("gate/thrown", "gate/printed", "names/gates.json", "endpoint/exchanges.csv")
                .hasSizeGreaterThan(40);
        assertThat(expected.get("gate/thrown")).contains("größe/模型", "BREACH", "12.5 ms", "attempt-1.json");
        for (String other : List.of("arabic", "thai", "turkish")) {
            assertThat(files(other).keySet()).as(other).isEqualTo(expected.keySet());
            files(other)
                    .forEach((file, text) ->
                            assertThat(text).as("%s: %s", other, file).isEqualTo(expected.get(file)));
        }
    }

    private Process start(String name, String encoding, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                EveryLocaleGate.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Files.createDirectories(folder.resolve(name)).toFile())
                .redirectError(folder.resolve(name + ".err").toFile())
                .redirectOutput(folder.resolve(name + ".out").toFile());
        builder.environment().put("LC_ALL", encoding);
        return builder.start();
    }

    private String said(String name, Process process) throws Exception {
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue())
                .as("%s", Files.readString(folder.resolve(name + ".err"), StandardCharsets.ISO_8859_1))
                .isZero();
        return Files.readString(folder.resolve(name + ".out"), StandardCharsets.ISO_8859_1)
                .strip();
    }

    /** {@return what is written, by its name; each byte as a character} */
    private Map<String, String> files(String name) throws IOException {
        Path root = folder.resolve(name).resolve("files");
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String path = root.relativize(file).toString();
                files.put(
                        path,
                        path.matches(OF_THE_CLOCK)
                                ? ""
                                : path.equals("gate/thrown")
                                        ? Files.readString(file)
                                        : Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return files;
    }
}
