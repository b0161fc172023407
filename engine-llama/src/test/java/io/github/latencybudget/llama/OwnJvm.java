package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs a main class in a JVM of its own, whose memory and files are only its own, and reads what it prints. */
final class OwnJvm {

    private static final Pattern FIGURE = Pattern.compile("(?m)^(\\w+) = (\\d+)$");

    private OwnJvm() {}

    /**
     * {@return the figures that it has printed, each a line such as {@code peak = 17}}
     *
     * @param folder for its output, and below it its folder for temporary files
     */
    static Map<String, Long> run(Path folder, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/self/smaps_rollup")), "memory is read from /proc");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-Djava.io.tmpdir=" + Files.createDirectories(temporary(folder)),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        // one heap for all threads: else how much of several is kept depends on which thread freed what
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        Process process = builder.start();
        int status = process.waitFor();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        System.out.print(text);
        assertThat(status).as(text).isZero();
        Map<String, Long> figures = new HashMap<>();
        Matcher figure = FIGURE.matcher(text);
        while (figure.find()) {
            figures.put(figure.group(1), Long.parseLong(figure.group(2)));
        }
        return figures;
    }

    static Path temporary(Path folder) {
        return folder.resolve("tmp");
    }

    static void print(String name, long value) {
        System.out.println(name + " = " + value);
    }

    /** {@return bytes that {@code /proc/self/status} says, such as of {@code RssAnon}} */
    static long memory(String name) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return how many pieces of weights' files are mapped} */
    static long mappedWeights() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(".safetensors")).count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
