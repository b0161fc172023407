package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NvmlSensorTest {

    @Test
    void onlyAGpuOfThisMachineIsRead() {
        assertThat(NvmlSensor.of("cpu")).isEmpty();
        assertThat(NvmlSensor.of("http://cuda:0")).isEmpty();
        assertThat(NvmlSensor.of("cuda:999")).isEmpty();
        assertThat(NvmlSensor.isCuda("cuda:0")).isTrue();
        assertThat(NvmlSensor.isCuda("cpu")).isFalse();
    }

    @Test
    @Tag("gpu")
    void theFirstGpuSaysHowItFares() {
        DeviceSensor sensor = sensor();

        assertThat(sensor.uuid().orElseThrow()).matches("(GPU|MIG)-.+");
        assertThat(sensor.maxSmClockMhz().orElseThrow()).isGreaterThan(0);
        assertThat(sensor.smClockMhz().orElseThrow())
                .isBetween(1, sensor.maxSmClockMhz().orElseThrow());
        assertThat(sensor.clockEvents().orElseThrow()).isBetween(0L, 0xFFFFL);
        assertThat(sensor.celsius().orElseThrow()).isBetween(1, 120);
        assertThat(sensor.milliwatts().orElseThrow()).isBetween(1_000, 3_000_000);
        assertThat(sensor.usedBytes().orElseThrow())
                .isBetween(0L, sensor.totalBytes().orElseThrow());
        assertThat(sensor.processIds()).isPresent();
    }

    @Test
    @Tag("gpu")
    void lookingAgainGivesTheSameNumber() {
        DeviceSensor sensor = sensor();

        assertThat(sensor.uuid()).isEqualTo(sensor.uuid());
        assertThat(sensor.maxSmClockMhz()).isEqualTo(sensor.maxSmClockMhz());
    }

    private static DeviceSensor sensor() {
        Optional<DeviceSensor> sensor = NvmlSensor.of("cuda:0");
        assumeTrue(sensor.isPresent(), "no NVIDIA driver, or no device");
        return sensor.orElseThrow();
    }
}
