package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.device.DeviceLock;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.target.MeasurementException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
    void aGateThatWaitsForItsDeviceHasNotStartedAndOpensNothing() throws InterruptedException {
        FakeTarget.OPENED.remove("fake:turn");
        Gates gates = new Gates(output);
        Thread gate = new Thread(() -> gates.run(OnItsDevice.class));

        DeviceLock.whileAloneOn("turn", () -> {
            gate.start();
            waitUntilItWaits(gate);
            assertThat(gates.records()).isEmpty();
            assertThat(FakeTarget.OPENED).doesNotContainKey("fake:turn");
            return null;
        });

        gate.join();
        assertThat(gates.records()).extracting(GateRecord::state).containsExactly(GateRecord.State.ENDED);
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

    private static void waitUntilItWaits(Thread gate) {
        try {
            while (gate.getState() != Thread.State.WAITING) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
