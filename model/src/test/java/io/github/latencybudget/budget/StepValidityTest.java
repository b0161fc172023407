package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.EngineStep.Kind;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Steps that contradict the run keep every rule from being shown, in either direction. */
class StepValidityTest {

    private static Traces hundred() {
        return run(100, 100 * MS, times(3, 10 * MS));
    }

    @Test
    void stepsOneAfterTheOtherAreFine() {
        assertThat(Budget.findings(hundred()
                        .step(Kind.PREFILL, 0, 100 * MS, 0)
                        .step(Kind.DECODE, 100 * MS, 110 * MS, 0, 99)
                        .measurement()))
                .isEmpty();
    }

    @Test
    void aStepOfSomebodyElseIsAContradiction() {
        Traces traces = hundred().step(Kind.PREFILL, 0, 100 * MS, 0).step(Kind.DECODE, 100 * MS, 110 * MS, 0, -3);

        assertFinding(
                traces,
                "the engine's step 1 is invalid: it names request -3, which is none of the run's 100; check what the target's takeSteps() gives");
    }

    @Test
    void stepsOutOfOrderAreAContradiction() {
        Traces traces = hundred().step(Kind.PREFILL, 0, 100 * MS, 0).step(Kind.DECODE, 98 * MS, 110 * MS, 0);

        assertFinding(
                traces,
                "the engine's step 1 is invalid: it began 2.00 ms before the one before it had ended; check the target's clock, and that takeSteps() gives the steps in their order");
    }

    private static void assertFinding(Traces traces, String sentence) {
        assertThat(Budget.findings(traces.measurement()))
                .containsExactly(new Finding(Finding.Kind.INVALID_SAMPLE, sentence));
        for (int limit : new int[] {9, 11}) {
            assertThat(Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(limit)))
                            .evaluate(traces.measurement())
                            .status())
                    .isEqualTo(Status.INCONCLUSIVE);
        }
    }
}
