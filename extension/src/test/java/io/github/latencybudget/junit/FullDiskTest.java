package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gates whose output is on a disk of its own, which is full or cannot be written. It takes a root that may mount. */
class FullDiskTest {

    @TempDir
    Path disk;

    private boolean isMounted;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Gate {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 40, itlP95Ms = 20)
        void gate() {}
    }

    private void mount(String kibibytes) throws IOException, InterruptedException {
        isMounted = call("mount", "-t", "tmpfs", "-o", "size=" + kibibytes + "k", "tmpfs", disk.toString());
        Assumptions.assumeTrue(isMounted, "a disk that is full is mounted, which takes root on Linux");
    }

    private static boolean call(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (isMounted) {
            assertThat(call("umount", disk.toString())).isTrue();
        }
    }

    /** There is room for the record that the gate has started, and none for what it has measured. */
    @Test
    void aRecordThatDoesNotFitSaysThatTheDiskIsFull() throws Exception {
        mount("96");
        Path output = disk.resolve("out");
        Gates gates = new Gates(output);

        assertThat(gates.failure(Gate.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("cannot write the record " + output.resolve("records"))
                .hasMessageEndingWith(
                        ", because the disk is full: free some space there, or name another folder with latencybudget.output");
        try (Stream<Path> files = Files.list(output.resolve("records"))) {
            assertThat(files).noneMatch(f -> f.toString().endsWith(".writing"));
        }
        assertThat(gates.records()).extracting(GateRecord::state).containsExactly(GateRecord.State.STARTED);
    }

    @Test
    void aDiskThatWasFullBeforeSaysSoToo() throws Exception {
        mount("16");
        Files.write(disk.resolve("other"), new byte[16 << 10]);

        assertThat(new Gates(disk.resolve("out")).failure(Gate.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining("because the disk is full")
                .hasMessageContaining(disk.toString());
    }

    @Test
    void aReadOnlyFileSystemIsNamed() throws Exception {
        mount("1024");
        Assumptions.assumeTrue(call("mount", "-o", "remount,ro", disk.toString()), "a mount is made read-only");

        assertThat(new Gates(disk.resolve("out")).failure(Gate.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("cannot write a record into " + disk.resolve("out"))
                .hasMessageEndingWith(
                        ", because its file system is read-only: mount it for writing, or name another folder with latencybudget.output");
    }

    @Test
    void aNameThatIsTooLongIsNamed() {
        List<Throwable> failures = Gates.failures(new Gates(disk.resolve("x".repeat(300))).run(Gate.class));

        assertThat(failures)
                .singleElement()
                .satisfies(f -> assertThat(f)
                        .isInstanceOf(MeasurementException.class)
                        .hasMessageContaining(
                                ", because its path is too long for the file system: shorten it, or name another"));
    }
}
