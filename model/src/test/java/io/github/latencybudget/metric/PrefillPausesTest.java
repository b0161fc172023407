package io.github.latencybudget.metric;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.EngineStep.Kind;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which gaps contain the prefill of somebody else, against numbers computed by hand. */
class PrefillPausesTest {

    /** Requests 0 and 1 decode while the prompts of 2, from 120 to 150 ms, and 3, from 170 to 180 ms, are taken. */
    private static Traces batch() {
        return run().arrivals(0, 100 * MS, 110 * MS, 160 * MS, 190 * MS)
                .arrivals(0, 105 * MS, 110 * MS, 160 * MS, 190 * MS)
                .arrivals(20 * MS, 150 * MS, 160 * MS, 190 * MS, 200 * MS)
                .arrivals(30 * MS, 180 * MS, 190 * MS)
                .step(Kind.PREFILL, 90 * MS, 100 * MS, 0)
                .step(Kind.PREFILL, 101 * MS, 105 * MS, 1)
                .step(Kind.DECODE, 106 * MS, 110 * MS, 0, 1)
                .step(Kind.PREFILL, 120 * MS, 150 * MS, 2)
                .step(Kind.DECODE, 152 * MS, 160 * MS, 0, 1, 2)
                .step(Kind.PREFILL, 170 * MS, 180 * MS, 3)
                .step(Kind.DECODE, 181 * MS, 190 * MS, 0, 1, 2, 3)
                .step(Kind.DECODE, 191 * MS, 200 * MS, 2);
    }

    private static PrefillPauses pauses() {
        Measurement run = batch().measurement();
        return PrefillPauses.of(run.traces(), run.steps());
    }

    @Test
    void theGapsWithAPrefillOfSomebodyElse() {
        PrefillPauses pauses = pauses();

        // Request 0: all of its 10, 50 and 30 ms (the first has request 1 in it); request 1: its 50 and 30, not its 5;
        // request 2: its 30, neither of its 10; request 3: not its 10.
        assertThat(pauses.gaps()).isEqualTo(10);
        assertThat(values(pauses.touched())).containsExactly(10.0, 30.0, 30.0, 30.0, 50.0, 50.0);
        assertThat(values(pauses.untouched())).containsExactly(5.0, 10.0, 10.0, 10.0);
        assertThat(values(pauses.prefillNanos())).containsExactly(4.0, 10.0, 10.0, 10.0, 30.0, 30.0);
    }

    @Test
    void theMostHarmfulFirst() {
        // 30 ms for two, 10 ms for three, 4 ms for one
        assertThat(pauses().mostHarmful(5))
                .containsExactly(
                        new PrefillPauses.Pause(List.of(2), 30 * MS, List.of(0, 1)),
                        new PrefillPauses.Pause(List.of(3), 10 * MS, List.of(0, 1, 2)),
                        new PrefillPauses.Pause(List.of(1), 4 * MS, List.of(0)));
        assertThat(pauses().mostHarmful(1)).hasSize(1);
    }

    @Test
    void aboveALimitWithoutThoseAtIt() {
        PrefillPauses.Above above = pauses().above(30 * MS);

        assertThat(above.gaps()).isEqualTo(2);
        assertThat(above.touched()).isEqualTo(2);
        assertThat(above.longest().orElseThrow().prefilled()).containsExactly(2);
        assertThat(pauses().above(9 * MS).gaps()).isEqualTo(9);
        assertThat(pauses().above(9 * MS).touched()).isEqualTo(6);
        assertThat(pauses().above(50 * MS).longest()).isEmpty();
    }

    @Test
    void aPrefillThatOnlyBordersOnAGapIsNotInIt() {
        Traces traces = run().arrivals(0, 10 * MS, 20 * MS, 30 * MS)
                .step(Kind.PREFILL, 5 * MS, 10 * MS, 1)
                .step(Kind.PREFILL, 30 * MS, 40 * MS, 1);

        assertThat(PrefillPauses.of(
                                traces.measurement().traces(),
                                traces.measurement().steps())
                        .touched()
                        .size())
                .isZero();
    }

    @Test
    void aRequestWhosePromptIsTakenAgainWaitsForNobodyElse() {
        Traces traces = run().arrivals(0, 10 * MS, 40 * MS).step(Kind.PREFILL, 15 * MS, 30 * MS, 0);

        assertThat(PrefillPauses.of(
                                traces.measurement().traces(),
                                traces.measurement().steps())
                        .touched()
                        .size())
                .isZero();
    }

    @Test
    void ofAPrefillOverTwoGapsEachHasItsPart() {
        Traces traces = run().arrivals(0, 10 * MS, 20 * MS, 40 * MS).step(Kind.PREFILL, 15 * MS, 38 * MS, 1);

        assertThat(values(PrefillPauses.of(
                                traces.measurement().traces(),
                                traces.measurement().steps())
                        .prefillNanos()))
                .containsExactly(5.0, 18.0);
    }

    @Test
    void timesOfTheStepsByKind() {
        List<EngineStep> steps = batch().measurement().steps();

        assertThat(values(StepMetrics.durationNanos(steps, Kind.PREFILL))).containsExactly(4.0, 10.0, 10.0, 30.0);
        assertThat(values(StepMetrics.deviceNanos(steps, Kind.PREFILL))).containsExactly(3.0, 9.0, 9.0, 29.0);
        assertThat(values(StepMetrics.outsideDeviceNanos(steps, Kind.DECODE))).containsExactly(1.0, 1.0, 1.0, 1.0);
        assertThat(StepMetrics.deviceNanos(List.of(), Kind.PREFILL).percentile(Percentile.P50))
                .isEmpty();
    }

    private static List<Double> values(Distribution distribution) {
        return IntStream.rangeClosed(1, distribution.size())
                .mapToObj(rank -> distribution.atRank(rank) / MS)
                .toList();
    }
}
