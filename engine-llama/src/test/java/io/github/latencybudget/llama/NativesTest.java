package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativesTest {

    @TempDir
    private Path cache;

    @Test
    void withoutNativesAndOfflineTheNextStepIsNamed() throws IOException, InterruptedException {
        assertThat(opened(entry -> !entry.contains("pytorch-native")))
                .containsPattern(
                        "refused: PyTorch's native library could not be loaded \\(\\w+: .*\\): add the jars pytorch-jni and pytorch-native-cpu or"
                                + " pytorch-native-cu124 for this system to the test class path, or set PYTORCH_LIBRARY_PATH to a libtorch"
                                + " folder");
    }

    private String opened(Predicate<String> kept) throws IOException, InterruptedException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(kept)
                .collect(Collectors.joining(File.pathSeparator));
        ProcessBuilder builder = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                OpenTiny.class.getName()));
        for (String set : List.of("PYTORCH_LIBRARY_PATH", "PYTORCH_VERSION", "PYTORCH_FLAVOR")) {
            builder.environment().remove(set);
        }
        builder.environment().put("DJL_CACHE_DIR", cache.toString());
        builder.environment().put("ENGINE_CACHE_DIR", cache.toString());
        builder.environment().put("DJL_OFFLINE", "true");
        Path output = cache.resolve("output.txt");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
