package io.github.latencybudget.junit;

import static io.github.latencybudget.junit.GateListenerTest.launch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.State;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gate whose test ended before its turn came does not look as if nobody had run it. */
class FailedSetUpTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class BeforeEachFails {
        @BeforeEach
        void setUp() {
            throw new IllegalStateException("a secret");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class BeforeAllFails {
        @BeforeAll
        static void setUp() {
            throw new IllegalStateException("a secret");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class ConstructorFails {
        ConstructorFails() {
            throw new IllegalStateException("a secret");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {BeforeEachFails.class, BeforeAllFails.class, ConstructorFails.class})
    void isAnErrorThatSaysSo(Class<?> fixture) {
        launch(output, fixture);

        assertThat(new Gates(output).records()).singleElement().satisfies(r -> {
            assertThat(r.state()).isEqualTo(State.ENDED);
            assertThat(r.error())
                    .isEqualTo("the test failed before its measurement by java.lang.IllegalStateException");
        });
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Assumes {
        @BeforeEach
        void setUp() {
            Assumptions.assumeTrue(false, "not here");
        }

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @Test
    void anAssumptionBeforeTheMeasurementSkipsTheGate() {
        launch(output, Assumes.class);

        assertThat(new Gates(output).records())
                .extracting(GateRecord::state, GateRecord::skipReason)
                .containsExactly(
                        tuple(State.SKIPPED, "aborted before its measurement by org.opentest4j.TestAbortedException"));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Breached {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 1)
        void gate() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void aborted() {
            Assumptions.assumeTrue(false, "not here");
        }
    }

    @Test
    void aGateThatWasMeasuredKeepsItsRecordHoweverItsTestEnds() {
        launch(output, Breached.class);

        assertThat(new Gates(output).records()).hasSize(2).allSatisfy(r -> {
            assertThat(r.attempt()).isOne();
            assertThat(r.state()).isEqualTo(State.ENDED);
            assertThat(r.judgement()).isNotNull();
        });
    }
}
