package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SweepTest {

    private static final List<Double> LOADS = List.of(1.0, 2.0, 4.0, 8.0);

    private static Sweep sweep(double atLeast, Status... statuses) {
        List<Sweep.Step> steps = new ArrayList<>();
        for (Status status : statuses) {
            double load = LOADS.get(steps.size());
            steps.add(new Sweep.Step(load, together((int) load, 100), status));
        }
        return new Sweep(Sweep.Unit.CONCURRENCY, atLeast, LOADS, steps);
    }

    /** So many at a time, each of one token after so long. */
    private static Measurement together(int requests, long millis) {
        Traces run = run();
        for (int i = 0; i < 4 * requests; i++) {
            run.arrivals(i / requests * millis * MS, (i / requests + 1) * millis * MS);
        }
        return run.measurement();
    }

    @Test
    void theHighestThatHoldsIsTheLastBeforeOneThatDoesNot() {
        assertThat(sweep(1, Status.PASS, Status.PASS, Status.BREACH).highestThatHolds())
                .hasValue(2);
        assertThat(sweep(1, Status.PASS, Status.INCONCLUSIVE, Status.PASS).highestThatHolds())
                .hasValue(1);
        assertThat(sweep(1, Status.PASS, Status.PASS, Status.PASS, Status.PASS).highestThatHolds())
                .hasValue(8);
        assertThat(sweep(1, Status.BREACH).highestThatHolds()).isEqualTo(OptionalDouble.empty());
    }

    @Test
    void theFirstStepThatDoesNotHoldUpToWhatHasToDecides() {
        assertThat(sweep(4, Status.PASS, Status.INCONCLUSIVE, Status.BREACH)
                        .deciding()
                        .load())
                .isEqualTo(2);
        assertThat(sweep(4, Status.PASS, Status.PASS, Status.PASS, Status.BREACH)
                        .deciding()
                        .load())
                .isEqualTo(4);
        assertThat(sweep(1, Status.PASS, Status.BREACH).deciding().load()).isEqualTo(1);
        // An interrupted sweep never came to what has to hold.
        assertThat(sweep(8, Status.PASS).deciding().load()).isEqualTo(1);
    }

    /** Each step takes ten times as long as the one before: 1, 10 and 100 ms. */
    @Test
    void eachRuleHasTheVerdictOfTheFirstStepThatDoesNotShowItToHold() {
        Budget budget = Budget.of(ttftWithin(5), ttftWithin(50), ttftWithin(500));

        Verdicts verdicts = swept(4, budget, 1, 10, 100);

        assertThat(verdicts.verdicts())
                .extracting(Verdict::status)
                .containsExactly(Status.BREACH, Status.BREACH, Status.PASS);
        assertThat(verdicts.verdicts().get(0).reason()).isEmpty();
        assertThat(verdicts.verdicts().get(0).observed()).hasValue(10.0 * MS);
        assertThat(verdicts.verdicts().get(1).reason()).hasValue("at concurrency 4");
        assertThat(verdicts.verdicts().get(1).observed()).hasValue(100.0 * MS);
    }

    @Test
    void aRuleIsNotShownToHoldWhereAnotherEndedTheSweepBeforeItsLoad() {
        Budget budget = Budget.of(ttftWithin(5), ttftWithin(50));

        Verdicts verdicts = swept(4, budget, 1, 10);

        assertThat(verdicts.verdicts()).extracting(Verdict::status).containsExactly(Status.BREACH, Status.INCONCLUSIVE);
        assertThat(verdicts.of(ttftWithin(50)).verdicts().get(0).reason())
                .hasValue(
                        "the sweep ended with concurrency 2, before concurrency 4 was measured, up to which it has to hold; mend what was broken there first, or have the sweep go on with stopAtBreach = false");
    }

    @Test
    void noStepAboveTheLoadThatHasToHoldCounts() {
        assertThat(swept(2, Budget.of(ttftWithin(50)), 1, 10, 100).status()).isEqualTo(Status.PASS);
    }

    private static Verdicts swept(double atLeast, Budget budget, long... ttftMillis) {
        List<Verdicts> ofSteps = LongStream.of(ttftMillis)
                .mapToObj(ttft -> budget.evaluate(many(ttft)))
                .toList();
        List<Sweep.Step> steps = IntStream.range(0, ofSteps.size())
                .mapToObj(i -> Sweep.Step.of(LOADS.get(i), ofSteps.get(i)))
                .toList();
        return new Sweep(Sweep.Unit.CONCURRENCY, atLeast, LOADS, steps).verdicts(ofSteps);
    }

    private static LatencyRule ttftWithin(long millis) {
        return LatencyRule.ttft(PromptLength.exactly(512), Percentile.P50, Duration.ofMillis(millis));
    }

    private static Measurement many(long ttftMillis) {
        Traces run = run();
        for (int i = 0; i < 40; i++) {
            run.arrivals(i * ttftMillis * MS, (i + 1) * ttftMillis * MS);
        }
        return run.measurement();
    }

    @Test
    void theEfficiencyIsTheShareOfTheIdeal() {
        Sweep sweep = new Sweep(
                Sweep.Unit.CONCURRENCY,
                1,
                LOADS,
                List.of(
                        new Sweep.Step(1, together(1, 100), Status.PASS),
                        new Sweep.Step(2, together(2, 100), Status.PASS),
                        new Sweep.Step(4, together(4, 160), Status.PASS)));

        assertThat(sweep.timesTheFirst(sweep.steps().get(2)).getAsDouble()).isCloseTo(2.5, within(1e-9));
        assertThat(sweep.steps().stream()
                        .map(s -> sweep.efficiency(s).getAsDouble())
                        .toList())
                .usingComparatorForType((a, b) -> Math.abs(a - b) < 1e-9 ? 0 : 1, Double.class)
                .containsExactly(1.0, 1.0, 0.625);
    }

    @Test
    void whatWasNotMeasuredIsSaid() {
        assertThat(sweep(2, Status.PASS, Status.BREACH).text())
                .isEqualTo(
                        "the highest load that was shown to hold is concurrency 1; concurrency 2 is BREACH; it has to hold up to concurrency 2; it ended with concurrency 2, so concurrency 4, concurrency 8 were not measured");
        assertThat(sweep(1, Status.PASS, Status.PASS, Status.PASS, Status.PASS).text())
                .isEqualTo(
                        "the highest load that was shown to hold is concurrency 8; it has to hold up to concurrency 1");
        assertThat(sweep(1, Status.INCONCLUSIVE, Status.PASS, Status.PASS).text())
                .isEqualTo(
                        "not even the lowest load, concurrency 1, was shown to hold; concurrency 1 is INCONCLUSIVE; it has to hold up to concurrency 1; it ended with concurrency 4, which is PASS, so concurrency 8 was not measured");
        assertThat(sweep(4, Status.PASS, Status.PASS).textSoFar())
                .isEqualTo(
                        "the highest load that was shown to hold so far is concurrency 2; it has to hold up to concurrency 4; concurrency 4, concurrency 8 were not measured");
        assertThat(sweep(4, Status.INCONCLUSIVE).textSoFar())
                .isEqualTo(
                        "not even the lowest load, concurrency 1, was shown to hold so far; it has to hold up to concurrency 4; concurrency 2, concurrency 4, concurrency 8 were not measured");
        assertThat(Sweep.Unit.REQUESTS_PER_SECOND.text(2.5)).isEqualTo("2.5 requests/s");
    }

    /** That it was not shown to hold does not say that it does not. */
    @Test
    void whatAnUndecidedStepTakesIsSaid() {
        Sweep sweep = new Sweep(
                Sweep.Unit.REQUESTS_PER_SECOND,
                1,
                List.of(1.0, 2.0),
                List.of(
                        new Sweep.Step(1, together(1, 100), Status.PASS),
                        new Sweep.Step(2, together(2, 100), Status.INCONCLUSIVE, OptionalInt.of(1280))));

        assertThat(sweep.text())
                .isEqualTo(
                        "the highest load that was shown to hold is 1 requests/s; 2 requests/s is INCONCLUSIVE, for it takes 1280 requests if no further value is beyond a limit; it has to hold up to 1 requests/s");
    }

    @Test
    void stepsAreTheFirstOfThePlannedLoads() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sweep(3, Status.PASS))
                .withMessage("atLeast = 3.0: must be one of the loads [1.0, 2.0, 4.0, 8.0]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sweep(1))
                .withMessage("steps at []: must be the first of the loads [1.0, 2.0, 4.0, 8.0], at least one");
    }
}
