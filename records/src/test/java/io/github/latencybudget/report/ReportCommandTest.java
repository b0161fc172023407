package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.gate;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @Test
    void reportsAKilledRun() {
        Samples.store(folder).start(gate("killed"), "Killed");

        assertThat(run(folder.toString())).isEqualTo(2);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualToNormalizingNewlines("The gate fails: not finished\n"
                        + "1 gate: 0 passed, 0 breached, 0 inconclusive, 1 not finished, 0 skipped\n"
                        + folder.resolve("index.html") + "\n");
        assertThat(folder.resolve("index.html")).isRegularFile();
    }

    @Test
    void saysSoWhereThereIsNothingToReport() {
        assertThat(run(folder.toString())).isEqualTo(3);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("There is nothing to report: no record is in " + folder.resolve("records"));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void takesOneFolderOnly() {
        assertThat(run("a", "b")).isEqualTo(3);

        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("Give one folder");
    }

    @Test
    void reportsTheRunThatIsAskedFor() {
        Samples.store(folder).start(gate("killed"), "Killed");
        Samples.store(folder, "other", Samples.NOON).skip(gate("skipped"), "Skipped", "no GPU");
        Samples.planAll(folder);

        assertThat(run(folder.toString(), "--run", "other")).isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("Nothing was measured: 1 gate skipped");
        assertThat(run(folder.toString(), "--run", "none")).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no record of run none is in");
        assertThat(run("--runs", "other")).isEqualTo(3);
    }

    private int run(String... arguments) {
        return ReportCommand.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
