package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.record.PlanRecord.PlannedGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateManifestTest {

    @TempDir
    Path folder;

    @Test
    void itMayBeginWithAByteOrderMark() throws IOException {
        GateManifest manifest =
                GateManifest.of(List.of(new PlannedGate(new GateId("Sla", "gate()"), "größe", List.of("ITL"))));
        Path file = folder.resolve("gates.json");
        manifest.write(file);
        Files.writeString(file, "\uFEFF" + Files.readString(file));

        assertThat(GateManifest.read(file)).contains(manifest);
    }
}
