package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.device.DeviceLock;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** What a gate leaves while it waits for its device, and where it cannot keep its record or make a request. */
class GateTurnTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake:turn", device = "turn", target = FakeTarget.class)
    static class OnItsDevice {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aGateThatWaitsForItsDeviceHasNotStartedAndOpensNothing() throws Exception {
        FakeTarget.OPENED.remove("fake:turn");
        Gates gates = new Gates(output);
        Thread gate = new Thread(() -> gates.run(OnItsDevice.class));

        whileTaken(gates, () -> {
            gate.start();
            waitUntilItWaits(gate);
            assertThat(gates.records()).isEmpty();
            assertThat(FakeTarget.OPENED).doesNotContainKey("fake:turn");
        });

        gate.join();
        assertThat(gates.records()).extracting(GateRecord::state).containsExactly(GateRecord.State.ENDED);
    }

    @InferenceTarget(model = "fake:turn", device = "turn", target = FakeTarget.class)
    static class WrittenWrongly {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = -1)
        void gate() {}
    }

    /** R10. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whatIsWrittenWronglyIsSaidWithoutWaitingForTheDevice() throws Exception {
        Gates gates = new Gates(output);

        whileTaken(
                gates,
                () -> assertThat(CompletableFuture.supplyAsync(() -> gates.failure(WrittenWrongly.class))
                                .get())
                        .isInstanceOf(ExtensionConfigurationException.class)
                        .hasMessageContaining("ttftMs = -1"));

        assertThat(gates.records()).singleElement().satisfies(r -> {
            assertThat(r.state()).isEqualTo(GateRecord.State.REFUSED);
            assertThat(r.error()).contains("ttftMs = -1");
        });
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aGateWaitsForNoLongerThanItMay() throws Exception {
        Gates gates = new Gates(output).with("latencybudget.device.wait-seconds", "0");

        whileTaken(
                gates,
                () -> assertThat(CompletableFuture.supplyAsync(() -> gates.failure(OnItsDevice.class))
                                .get())
                        .isInstanceOf(MeasurementException.class)
                        .hasMessageMatching(
                                "waited 0 s for turn, which this JVM has used since 20..-..-.. ..:..:.. UTC for Other\\.gate: "
                                        + "end that gate if it hangs, or allow more time with latencybudget\\.device\\.wait-seconds"));

        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.error()).contains("waited 0 s for turn, "));
    }

    @InferenceTarget(model = "fake:turn", device = "turn", target = FakeTarget.class)
    static class InASecond {
        @Test
        @Timeout(1)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    /** The line comes after two seconds, so a timeout of one would be over. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWaitIsSaidAndIsNoPartOfWhatATimeoutLimits() throws Exception {
        Gates gates = new Gates(output);
        CompletableFuture<EngineExecutionResults> results = new CompletableFuture<>();

        listening(lines -> whileTaken(gates, () -> {
            results.completeAsync(() -> gates.run(InASecond.class));
            assertThat(lines.take())
                    .matches(
                            "\\[latency-budget] InASecond\\.gate: waits for turn, which this JVM has used since 20..-..-.. ..:..:.. UTC for Other\\.gate: gives up in 89\\d s\n");
        }));

        results.join().testEvents().assertStatistics(s -> s.succeeded(1));
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.times().waitedNanos()).isGreaterThanOrEqualTo(2_000_000_000L));
    }

    @Test
    void whereNoLockCanBeWrittenTheGatesRunAndThatIsSaidOnce() throws Exception {
        Path locks = Files.createFile(output.resolve("a file")).resolve("locks");
        Gates gates = new Gates(output).with("latencybudget.device.locks", locks.toString());

        listening(lines -> {
            gates.run(OnItsDevice.class).testEvents().assertStatistics(s -> s.succeeded(1));
            gates.run(OnItsDevice.class).testEvents().assertStatistics(s -> s.succeeded(1));

            assertThat(lines.stream().filter(line -> line.contains("other JVMs")))
                    .containsExactly(
                            "[latency-budget] measurements of other JVMs are not waited for: cannot write a device lock into "
                                    + locks
                                    + ", because something else is in its place: move it away, or name another folder with latencybudget.device.locks\n");
        });
    }

    @Test
    void aFolderOfLocksThatIsALinkIsRefused() throws IOException {
        Path locks = Files.createSymbolicLink(output.resolve("link"), output);

        assertThat(new Gates(output)
                        .with("latencybudget.device.locks", locks.toString())
                        .failure(OnItsDevice.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("the folder of the device locks, " + locks
                        + ", is a symbolic link: delete it, or name another with latencybudget.device.locks");
    }

    @Test
    void aRecordThatCannotBeKeptBreaksTheMeasurementAndSaysWhatToDo() throws IOException {
        Files.writeString(output.resolve("records"), "a file where the folder would be");

        assertThat(new Gates(output).failure(OnItsDevice.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("cannot write a record into ")
                .hasMessageEndingWith(
                        ", because something else is in its place: move it away, or name another folder with latencybudget.output");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "prepareFails=no such prompt")
    static class Unprepared {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    void aTargetThatCannotPrepareARequestBreaksTheMeasurement() {
        assertThat(new Gates(output).failure(Unprepared.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining("a request with a prompt of 8 tokens could not be prepared")
                .hasMessageContaining("no such prompt")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    private interface Check {
        void run() throws Exception;
    }

    private static void whileTaken(Gates gates, Check check) throws Exception {
        DeviceLocks.of(new Settings(gates::parameter, Set.of()), "Other.gate").whileAloneOn("turn", waited -> {
            try {
                check.run();
                return null;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private interface Listening {
        void run(BlockingQueue<String> lines) throws Exception;
    }

    private static void listening(Listening check) throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        PrintStream console = System.out;
        System.setOut(new PrintStream(console, true) {
            @Override
            public void print(String line) {
                super.print(line);
                lines.add(line);
            }
        });
        try {
            check.run(lines);
        } finally {
            System.setOut(console);
        }
    }

    private static void waitUntilItWaits(Thread gate) throws InterruptedException {
        while (Stream.of(gate.getStackTrace()).noneMatch(f -> f.getClassName().equals(DeviceLock.class.getName()))
                || gate.getState() != Thread.State.TIMED_WAITING) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
