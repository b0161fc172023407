package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RunTest {

    @Test
    void aJvmStartedByThisOneBelongsToTheSameRunUnderMaven() throws IOException {
        assumeThat(Run.current())
                .as("under Maven")
                .doesNotEndWith("-" + ProcessHandle.current().pid());

        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();

        assertThat(new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(Run.current());
    }

    @Test
    void aRunIsNamedByItsStartAndItsProcess() {
        assertThat(Run.current()).matches("\\d{8}T\\d{6}-\\d+");
    }

    static final class Child {

        public static void main(String[] args) {
            System.out.print(Run.current());
        }
    }
}
