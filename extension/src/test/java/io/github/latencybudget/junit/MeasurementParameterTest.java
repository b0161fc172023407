package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.trace.Measurement;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

class MeasurementParameterTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class LooksAfterwards {
        static Measurement inTheBody;
        static Measurement afterwards;

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate(Measurement measurement) {
            inTheBody = measurement;
        }

        @AfterEach
        void keep(Measurement measurement) {
            afterwards = measurement;
        }
    }

    @Test
    void isGivenToAfterEachTooForAPlotOrAnAttachment() {
        new Gates(output).run(LooksAfterwards.class).testEvents().assertStatistics(s -> s.succeeded(1));

        assertThat(LooksAfterwards.afterwards)
                .isSameAs(LooksAfterwards.inTheBody)
                .isNotNull();
    }
}
