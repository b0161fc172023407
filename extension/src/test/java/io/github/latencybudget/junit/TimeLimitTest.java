package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.trace.Finding;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** JUnit applies a timeout to the body of a test; a gate spends its time before it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimeLimitTest {

    @TempDir
    Path output;

    @Timeout(1)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Hanging {
        static boolean wasInterrupted;

        @AfterEach
        void look() {
            wasInterrupted |= Thread.currentThread().isInterrupted();
        }

        @Test
        @Order(1)
        @InferenceTarget(model = "fake:hangs", target = FakeTarget.class, options = "hangAfter=5")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void hangs() {}

        @Test
        @Order(2)
        @InferenceTarget(model = "fake:hangs at once", target = FakeTarget.class, options = "hangAfter=0")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void hangsInTheWarmUp() {}

        @Test
        @Order(3)
        @InferenceTarget(model = "fake", target = FakeTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void holds() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Patient {
        @Test
        @Timeout(value = 110_000, unit = TimeUnit.DAYS)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void holds() {}
    }

    @Test
    void aTimeoutOfThreeHundredYearsIsNone() {
        new Gates(output).run(Patient.class).testEvents().assertStatistics(s -> s.succeeded(1));
    }

    @Test
    void aTimeoutEndsAMeasurementThatHangsAndKeepsWhatItMeasured() {
        Gates gates = new Gates(output);

        EngineExecutionResults results = gates.run(Hanging.class);

        results.testEvents().assertStatistics(s -> s.succeeded(1).failed(2));
        assertThat(Hanging.wasInterrupted).as("what runs after the measurement").isFalse();
        assertThat(Gates.failure(results))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "the measurement took longer than the @Timeout of its test, 1 s, and was interrupted: allow more time, or ask for fewer requests or output tokens");
        assertThat(gates.records())
                .extracting(
                        r -> r.gate().methodName(),
                        r -> r.state(),
                        r -> r.error() != null && r.error().contains("@Timeout"),
                        r -> r.measurement() == null
                                ? 0
                                : r.measurement().requests().size())
                .containsExactlyInAnyOrder(
                        tuple("hangs()", State.ENDED, true, 3),
                        tuple("hangsInTheWarmUp()", State.ENDED, true, 0),
                        tuple("holds()", State.ENDED, false, 64));
        assertThat(gates.records())
                .filteredOn(r -> r.gate().methodName().equals("hangs()"))
                .first()
                .satisfies(r -> assertThat(r.measurement().findings())
                        .containsExactly(new Finding(
                                Finding.Kind.INTERRUPTED,
                                "the run was interrupted after 3 of at most 200 requests: run the gate again")));
    }
}
