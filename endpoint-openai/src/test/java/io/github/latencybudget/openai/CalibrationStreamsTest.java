package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.trace.NanoClock;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against its own server. How exact it is depends on the machine, and is not asserted. */
@Timeout(60)
class CalibrationStreamsTest {

    private final Failures failures = new Failures(ConnectionsTest.options(1));

    @Test
    void everyEventHasAnErrorThatIsItsWayThroughTheMachine() throws Exception {
        try (EventLoop loop = EventLoop.start()) {
            ClientCalibrator.Seen seen = new CalibrationStreams(loop, NanoClock.SYSTEM, failures).run(3, 50, 1_000_000);

            assertThat(seen.errorNanos()).hasSize(150);
            assertThat(Arrays.stream(seen.errorNanos())).allMatch(e -> e > 0);
            assertThat(seen.eventsPerSecond()).isPositive().isLessThanOrEqualTo(3_000);
        }
    }

    @Test
    void aClientThatIsClosedBreaksOff() {
        EventLoop loop = EventLoop.start();
        loop.close();

        assertThatThrownBy(() -> new CalibrationStreams(loop, NanoClock.SYSTEM, failures).run(1, 1, 1))
                .isInstanceOfAny(IOException.class, RuntimeException.class);
    }
}
