package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gates with several requests in flight, from the annotation to the record. */
class ConcurrencyGateTest {

    @TempDir
    Path output;

    @InferenceTarget(
            model = "fake:batch",
            target = FakeTarget.class,
            options = {"batch=4", "memoryGiB=16"})
    static class FourAtOnce {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 512, concurrency = 4, itlP95Ms = 310)
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 3,
                requests = 512,
                concurrency = 4,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minRequestTgs = 7)
        void gate() {}
    }

    /** All four of a round end after 420 ms, so each has 3 tokens in 0.42 s. */
    @Test
    void fourAtOnceAreMeasuredAndJudged() {
        Gates gates = new Gates(output);

        gates.run(FourAtOnce.class)
                .testEvents()
                .assertStatistics(s -> s.succeeded(1).failed(0));

        assertThat(gates.records()).singleElement().satisfies(r -> {
            assertThat(r.measurement().concurrency()).isEqualTo(4);
            assertThat(r.measurement().requests()).hasSize(512);
            assertThat(r.measurement().steps().kinds()).hasSize(128 * 6).startsWith("PPPPDDPPPPDD");
            assertThat(r.measurement().steps().requests()).startsWith("0", "1", "2", "3", "0-3", "", "4");
        });
    }

    @InferenceTarget(
            model = "fake:batch",
            target = FakeTarget.class,
            options = {"batch=4", "memoryGiB=16"})
    static class PausesTooLong {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 512, concurrency = 4, itlP95Ms = 200)
        void gate() {}
    }

    @Test
    void aBreachSaysThatOthersPromptsAreInTheGaps() {
        assertThat(new Gates(output).failure(PausesTooLong.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("BREACH  ITL P95 at most 200.0 ms for prompts of 8 tokens: observed 310.0 ms")
                .hasMessageContaining(
                        " gaps above the limit contain the prefill of another request (longest 100.0 ms, request 1): bound the prompt length, or chunk prefills")
                .hasMessageContaining(" s), 4.0 requests in flight on average");
    }

    @InferenceTarget(model = "fake:batch", target = FakeTarget.class, options = "batch=4")
    static class MoreThanTheTargetCan {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 512, concurrency = 5, itlP95Ms = 200)
        void gate() {}
    }

    @Test
    void moreThanTheTargetCanIsABrokenRunThatSaysSo() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(MoreThanTheTargetCan.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("concurrency = 5: this target can have at most 4 requests in flight at a time");
        assertThat(gates.records())
                .extracting(GateRecord::error)
                .singleElement()
                .asString()
                .startsWith("concurrency = 5");
    }
}
