package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class HostTest {

    @Test
    void theProcessorHasAName() {
        assertThat(Host.processorName()).isNotBlank();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void residentMemoryGrowsWithWhatIsWritten() {
        long before = Host.residentBytes().orElseThrow();
        ByteBuffer written = ByteBuffer.allocateDirect(64 << 20);
        for (int i = 0; i < written.capacity(); i += 4096) {
            written.put(i, (byte) 1);
        }
        assertThat(Host.residentBytes().orElseThrow() - before).isBetween(60L << 20, 200L << 20);
        assertThat(written.get(4096)).isEqualTo((byte) 1);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void availableMemoryIsLessThanTheMachineHas() throws Exception {
        long total = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemTotal:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow();
        assertThat(Host.availableBytes().orElseThrow()).isBetween(1L << 20, total);
    }
}
