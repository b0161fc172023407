package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NvmlTest {

    @Test
    void aDeviceThatDoesNotExistIsAbsent() {
        assertThat(Nvml.cudaDevice(999)).isEmpty();
        assertThat(Nvml.pciAddress(999)).isEmpty();
    }

    @Test
    @Tag("gpu")
    void theFirstDeviceSaysItsNameDriverAndMemory() {
        assumeTrue(Nvml.cudaDevice(0).isPresent(), "no NVIDIA driver, or no device");
        Nvml device = Nvml.cudaDevice(0).orElseThrow();
        assertThat(device.name().orElseThrow()).startsWith("NVIDIA");
        assertThat(device.driverVersion().orElseThrow()).matches("\\d+\\.[\\d.]+");
        assertThat(Nvml.pciAddress(0).orElseThrow()).matches("[0-9A-Fa-f]+:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\\.[0-9]");
        long total = device.totalBytes().orElseThrow();
        assertThat(total).isGreaterThan(1L << 30);
        assertThat(device.usedBytes().orElseThrow()).isBetween(0L, total);
        assertThat(device.freeBytes().orElseThrow()).isBetween(0L, total);
    }
}
