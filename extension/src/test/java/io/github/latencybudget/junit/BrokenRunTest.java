package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.trace.Finding;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that break after some of their requests. */
class BrokenRunTest {

    @TempDir
    Path output;

    static class Alone {
        @Test
        @InferenceTarget(
                model = "breaks",
                target = StuckTarget.class,
                options = {"answers=45", "breaks=heap"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 200, itlP95Ms = 10_000)
        void gate() {}
    }

    static class Sweeping {
        @Test
        @InferenceTarget(
                model = "breaks",
                target = StuckTarget.class,
                options = {"step=1", "answers=45", "breaks=heap"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        @LoadSweep(
                concurrency = {1, 2},
                atLeast = 2)
        void gate() {}
    }

    private GateRecord record(Class<?> gate) {
        Gates gates = new Gates(output);
        assertThat(gates.failure(gate)).hasMessageContaining("heap");
        GateRecord record = gates.records().get(0);
        assertThat(record.state()).isEqualTo(State.ENDED);
        assertThat(record.error()).contains("heap");
        assertThat(record.judgement()).isNull();
        return record;
    }

    @Test
    void whatWasMeasuredBeforeItStaysInTheRecord() {
        GateRecord record = record(Alone.class);

        assertThat(record.measurement().requests())
                .hasSize(45)
                .allSatisfy(r -> assertThat(r.arrivalNanos()).hasSize(3));
        assertThat(record.measurement().findings())
                .contains(new Finding(
                        Finding.Kind.INTERRUPTED,
                        "the run was interrupted after 45 of at most 200 requests: run the gate again"));
    }

    @Test
    void ofASweepItIsTheStepThatBroke() {
        GateRecord record = record(Sweeping.class);

        assertThat(record.sweep().steps()).hasSize(1);
        assertThat(record.measurement().requests()).hasSize(64);
        assertThat(record.sweep().unfinished().concurrency()).isEqualTo(2);
        assertThat(record.sweep().unfinished().requests()).hasSizeGreaterThanOrEqualTo(44);
    }
}
