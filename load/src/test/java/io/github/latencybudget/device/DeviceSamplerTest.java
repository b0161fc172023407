package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeviceSamplerTest {

    private final ScriptedSensor sensor = new ScriptedSensor();
    private final DeviceSampler sampler = new DeviceSampler(sensor, GpuProcesses.besideThisOne());

    /** An idle device lowers its clocks by itself. */
    @Test
    void whatIsSeenBetweenRequestsDoesNotCount() {
        look(345, 0x20);
        sampler.requestStarted();
        look(1980, 0);
        sampler.requestEnded();
        look(345, 0x20);

        DeviceReadings seen = sampler.result();

        assertThat(seen.samples()).isEqualTo(1);
        assertThat(seen.minSmClockMhz()).hasValue(1980);
        assertThat(seen.slowdowns()).isEmpty();
    }

    @Test
    void aRequestThatEndsDuringALookTakesItAway() {
        sampler.requestStarted();
        sensor.looked = sampler::requestEnded;

        look(345, 0x20);

        assertThat(sampler.result().samples()).isZero();
        assertThat(sampler.result().p10SmClockMhz()).isEmpty();
    }

    @Test
    void clocksAreGivenByTheirRanks() {
        sampler.requestStarted();
        for (int i = 1; i <= 20; i++) {
            look(100 * i, 0);
        }

        DeviceReadings seen = sampler.result();

        assertThat(seen.samples()).isEqualTo(20);
        assertThat(seen.minSmClockMhz()).hasValue(100);
        // 18 of 20 looks found at least so much
        assertThat(seen.p10SmClockMhz()).hasValue(300);
        assertThat(seen.medianSmClockMhz()).hasValue(1000);
        assertThat(seen.maxSmClockMhz()).hasValue(1980);
        assertThat(seen.maxWatts()).hasValue(650.5);
    }

    @Test
    void moreLooksThanThereWasRoomForAreKept() {
        sampler.requestStarted();
        for (int i = 0; i < 1100; i++) {
            look(1980, 0);
        }

        assertThat(sampler.result().samples()).isEqualTo(1100);
    }

    @Test
    void whatHoldsTheClockDownIsCountedInWords() {
        sampler.requestStarted();
        look(1980, 0x1);
        look(1900, 0x4 | 0x2);
        look(1700, 0x4 | 0x8 | 0x40);
        look(1600, 0x20 | 0x80 | 0x10 | 0x100);

        DeviceReadings seen = sampler.result();

        assertThat(seen.clockLimits())
                .containsExactly(
                        entry("a slowdown of the hardware", 1),
                        entry("another GPU of its sync boost group", 1),
                        entry("the clock of its display", 1),
                        entry("the clock that applications were set to", 1),
                        entry("the power limit", 2));
        assertThat(seen.slowdowns())
                .containsExactly(
                        entry("heat", 1), entry("heat that the hardware acts on", 1), entry("the power brake", 1));
    }

    @Test
    void thePeakOfTheMemoryIsKeptWhetherOrNotARequestIsInFlight() {
        sampler.requestStarted();
        sensor.usedBytes = OptionalLong.of(30L << 30);
        look(1980, 0);
        sensor.usedBytes = OptionalLong.of(25L << 30);

        assertThat(sampler.result().peakUsedBytes()).hasValue(30L << 30);
        assertThat(sampler.result().totalBytes()).hasValue(100L << 30);
    }

    @Test
    void whatCannotBeReadIsAbsent() {
        sensor.smClockMhz = OptionalInt.empty();
        sensor.clockEvents = OptionalLong.empty();
        sensor.celsius = OptionalInt.empty();
        sampler.requestStarted();
        sampler.sample();

        DeviceReadings seen = sampler.result();

        assertThat(seen.samples()).isEqualTo(1);
        assertThat(seen.p10SmClockMhz()).isEmpty();
        assertThat(seen.maxCelsius()).isEmpty();
        assertThat(seen.slowdowns()).isEmpty();
    }

    @Test
    void theDevicesNumberIsReadAtBothEnds() {
        sensor.uuid = Optional.of("GPU-2");

        assertThat(sampler.result().uuidBefore()).contains("GPU-1");
        assertThat(sampler.result().uuidAfter()).contains("GPU-2");
    }

    @Test
    void itLooksOnAThreadOfItsOwnUntilItIsStopped() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(3);
        Thread[] thread = new Thread[1];
        sensor.looked = () -> {
            thread[0] = Thread.currentThread();
            looks.countDown();
        };
        DeviceSampler started = DeviceSampler.start(sensor);
        started.requestStarted();

        assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();
        DeviceReadings seen = started.stop();

        assertThat(seen.samples()).isGreaterThanOrEqualTo(2);
        assertThat(thread[0]).isNotSameAs(Thread.currentThread());
        assertThat(thread[0].isDaemon()).isTrue();
        assertThat(thread[0].isAlive()).isFalse();
    }

    private void look(int clockMhz, long events) {
        sensor.smClockMhz = OptionalInt.of(clockMhz);
        sensor.clockEvents = OptionalLong.of(events);
        sampler.sample();
    }
}
