package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitingTest {

    private final List<String> console = new ArrayList<>();
    private long now = 7;
    private final Waiting waiting = new Waiting("cuda:0", Duration.ofSeconds(100), () -> now, console::add);

    private long nextAfter(long seconds) throws DeviceLockException {
        now = 7 + TimeUnit.SECONDS.toNanos(seconds);
        return TimeUnit.NANOSECONDS.toSeconds(
                waiting.check(() -> Optional.of(LockHolder.here("14:03:21 UTC", "PolicyTest.x"))));
    }

    @Test
    void aLineAfterTwoSecondsAndThenEachMinute() throws DeviceLockException {
        assertThat(nextAfter(0)).isEqualTo(2);
        assertThat(nextAfter(1)).isEqualTo(1);
        assertThat(console).isEmpty();

        assertThat(nextAfter(2)).isEqualTo(60);
        assertThat(nextAfter(61)).isEqualTo(1);
        assertThat(console)
                .containsExactly(
                        "waits for cuda:0, which this JVM has used since 14:03:21 UTC for PolicyTest.x: gives up in 98 s");

        assertThat(nextAfter(62)).as("it ends before another minute").isEqualTo(38);
        assertThat(nextAfter(99)).isEqualTo(1);
        assertThat(console).hasSize(2).last().asString().endsWith(": gives up in 38 s");
        assertThat(waiting.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(99));
    }

    @Test
    void itEndsWhenItHasLastedForAsLongAsItMay() {
        assertThatThrownBy(() -> nextAfter(100))
                .isInstanceOf(DeviceLockException.class)
                .hasMessage(
                        "waited 100 s for cuda:0, which this JVM has used since 14:03:21 UTC for PolicyTest.x: end that gate if it hangs, or allow more time with latencybudget.device.wait-seconds");
        assertThat(console).isEmpty();
    }

    @Test
    void whoLeftNoNoteIsAnotherProcess() throws DeviceLockException {
        now = 7 + TimeUnit.SECONDS.toNanos(2);

        waiting.check(Optional::empty);

        assertThat(console).containsExactly("waits for cuda:0, which another process uses: gives up in 98 s");
    }
}
