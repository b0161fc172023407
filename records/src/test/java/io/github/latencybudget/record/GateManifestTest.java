package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    /** Both sides of a merge that were kept. */
    @Test
    void aGateThatIsThereTwiceIsRefused() throws IOException {
        PlannedGate gate = new PlannedGate(new GateId("Sla", "gate()"), "gate", List.of("ITL"));
        Path file = folder.resolve("gates.json");
        GateManifest.of(List.of(gate)).write(file);
        String text = Files.readString(file);
        int entry = text.indexOf("{", 1);
        int end = text.lastIndexOf("]");
        Files.writeString(
                file, text.substring(0, end).stripTrailing() + ", " + text.substring(entry, end) + text.substring(end));

        assertThatThrownBy(() -> GateManifest.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Sla#gate()")
                .hasMessageContaining("twice");
    }

    @Test
    void aGateThatWasPlannedTwiceKeepsAllItsRules() {
        GateId id = new GateId("Sla", "gate()");
        PlannedGate whole = new PlannedGate(id, "gate", List.of("ITL", "TTFT"));
        PlannedGate rerun = new PlannedGate(id, "gate", List.of("TTFT"));

        assertThat(GateManifest.of(List.of(whole, rerun)).gates()).containsExactly(whole);
    }

    @Test
    void aFileThatHoldsNothingIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("gates.json"), "null");

        assertThatThrownBy(() -> GateManifest.read(file)).isInstanceOf(IllegalArgumentException.class);
    }
}
