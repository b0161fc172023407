package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.JudgedAgain.Outcome;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JudgedAgainTest {

    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds()");
    private static final TestEnding PASSED = new TestEnding(TestEnding.Status.PASSED, null);
    private static final Budget ITL = Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(25)));
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    Path folder;

    @Test
    void everyKindOfRuleIsJudgedAgainAsItWas() {
        List<io.github.latencybudget.budget.Rule> rules =
                new ArrayList<>(Measurements.budget().rules());
        rules.add(new DriftRule(Metric.TTFT, 0.5, 128));

        judged(new Budget(rules, Measurements.budget().confidence()), Measurements.full());

        assertThat(read().judgeAgain().differences()).isEmpty();
        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.SAME);
    }

    @Test
    void whatWasNotJudgedIsNotJudgedAgain() {
        store().start(GATE, "Chat").measured(Measurements.full());

        assertThat(read().judgeAgain())
                .isEqualTo(new JudgedAgain(Outcome.NOT_JUDGED, Product.VERSION, List.of(), Optional.empty()));
    }

    // R4
    @Test
    void aVerdictThatSomebodyHasTurnedIsFound() throws IOException {
        Path file = judged(
                ITL,
                Traces.run(100, 300 * Traces.MS, Traces.times(3, 30 * Traces.MS))
                        .measurement());

        change(file, text -> text.replace("\"BREACH\"", "\"PASS\""));

        JudgedAgain again = read().judgeAgain();
        assertThat(again.outcome()).isEqualTo(Outcome.ALTERED);
        assertThat(again.differences())
                .containsExactly(
                        "judgement.rules[0].status: the record says \"PASS\", and its times and budget give \"BREACH\"",
                        "judgement.status: the record says \"PASS\", and its times and budget give \"BREACH\"");
        assertThat(again.judgement().orElseThrow().status()).isEqualTo(Status.BREACH);
    }

    @Test
    void anotherVersionMayJudgeOtherwise() throws IOException {
        Path file = judged(ITL, steady(30));

        change(file, text -> text.replace("\"BREACH\"", "\"PASS\"").replace('"' + Product.VERSION + '"', "\"9.9.9\""));

        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.OTHER_VERSION);
        assertThat(read().judgeAgain().product()).isEqualTo("9.9.9");
    }

    @Test
    void theLastDigitOfABoundIsNoDifference() throws IOException {
        JudgementEntry judgement = JudgementEntry.of(ITL.evaluate(steady(30)));
        String json = Json.MAPPER.writeValueAsString(judgement);

        assertThat(Differences.between(
                        "j",
                        judgement,
                        Json.MAPPER.readValue(json.replace("2.5E7", "2.5000000000000004E7"), JudgementEntry.class)))
                .isEmpty();
        assertThat(Differences.between(
                        "j",
                        judgement,
                        Json.MAPPER.readValue(json.replace("2.5E7", "2.5000001E7"), JudgementEntry.class)))
                .containsExactly("j.rules[0].limit: the record says 2.5E7, and its times and budget give 2.5000001E7");
    }

    @Test
    void eachStepOfASweepIsJudgedAgain() throws IOException {
        Path file = swept();
        assertThat(read().judgeAgain().differences()).isEmpty();

        change(file, text -> text.replaceFirst("\"observed\" : 2.0E7", "\"observed\" : 1.9E7"));

        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.ALTERED);
        assertThat(read().judgeAgain().differences())
                .containsExactly(
                        "sweep at concurrency 1.rules[0].observed: the record says 1.9E7, and its times and budget give 2.0E7");
    }

    /** What the engine did decides too, of whichever step. */
    @Test
    void aStepKeepsWhatItsEngineDid() {
        Measurement deciding = steady(20);
        Measurement beyond = Traces.run()
                .concurrency(2)
                .together(2)
                .add(80, 300 * Traces.MS, Traces.times(3, 20 * Traces.MS))
                .step(EngineStep.Kind.DECODE, 1, 5 * Traces.MS, 999)
                .measurement();
        List<Double> loads = List.of(1.0, 2.0);
        List<Verdicts> verdicts = List.of(ITL.evaluate(deciding), ITL.evaluate(beyond));
        Sweep sweep = new Sweep(
                Sweep.Unit.CONCURRENCY,
                1,
                loads,
                List.of(
                        new Sweep.Step(1, deciding, verdicts.get(0).status()),
                        new Sweep.Step(2, beyond, verdicts.get(1).status())));
        assertThat(verdicts.get(1).findings())
                .as("what the steps of the engine show")
                .isNotEqualTo(
                        ITL.evaluate(MeasurementEntry.of(beyond).withoutSteps().toMeasurement())
                                .findings());

        RecordStore.Attempt attempt = store().start(GATE, "Chat");
        attempt.swept(
                SweepEntry.of(sweep, verdicts.stream().map(JudgementEntry::of).toList()), deciding, ITL);
        attempt.judged(ITL, verdicts.get(0), PASSED);

        assertThat(read().judgeAgain().differences()).isEmpty();
    }

    @Test
    void aSweepInWhichAnotherStepDecidesIsRefused() throws IOException {
        Path file = swept();

        // All of the first step is called a breach, so that it would decide.
        change(file, text -> text.replaceFirst("\"status\" : \"PASS\"", "\"status\" : \"BREACH\""));

        assertThat(store().read(Optional.empty()).unreadable())
                .singleElement()
                .satisfies(
                        u -> assertThat(u.problem())
                                .isEqualTo(
                                        "it contradicts itself: concurrency 1 decides, and the measurement of the record is that of another step"));
    }

    @Test
    void aComparisonIsMadeAgain() throws IOException {
        Path file = compared(steady(20), steady(30));
        assertThat(read().comparison().status().name()).isEqualTo("WORSE");
        assertThat(read().judgeAgain().differences()).isEmpty();
        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.SAME);

        String written = Files.readString(file);
        for (UnaryOperator<String> change : List.<UnaryOperator<String>>of(
                text -> text.replace("\"WORSE\"", "\"SAME\""),
                text -> text.replaceFirst("\"upper\" : [0-9.E]+", "\"upper\" : 1.01"),
                text -> text.replace("\"tolerancePercent\" : 10.0", "\"tolerancePercent\" : 60.0"),
                text -> text.replace("\"judged\" : true", "\"judged\" : false"),
                text -> text.replaceFirst("\"changes\" : \\[ \\{(?s:.*?)}, \\{", "\"changes\" : [ {"))) {
            String changed = change.apply(written);
            assertThat(changed).isNotEqualTo(written);
            Files.writeString(file, changed);

            assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.ALTERED);
            assertThat(read().judgeAgain().differences())
                    .allSatisfy(d -> assertThat(d).startsWith("comparison."));
        }
    }

    @Test
    void aRunThatCouldNotBecomeABaselineHasNotBecomeOne() throws IOException {
        Measurement cold = Traces.run(100, 300 * Traces.MS, Traces.times(3, 20 * Traces.MS))
                .cold(512)
                .measurement();
        RecordStore.Attempt attempt = store().start(GATE, "Chat");
        attempt.measured(cold);
        attempt.compared(ComparisonEntry.notStored("chat", Tolerance.ofPercent(10), "not warm"), Optional.empty());
        attempt.judged(ITL, ITL.evaluate(cold), PASSED);
        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.SAME);

        change(
                attempt.path(),
                text -> text.replace("\"storedByThisRun\" : false", "\"storedByThisRun\" : true")
                        .replaceFirst(
                                "(?s)(\"baseline\" : \"chat\",\\s*)\"stored\" : null",
                                "$1\"stored\" : \"2026-01-01T12:00:00Z\"")
                        .replaceFirst(
                                "(?s)(\"confidence\" : 0.95,\\s*)\"status\" : \"INCONCLUSIVE\"(,\\s*\"line\" : \"this run)",
                                "$1\"status\" : null$2"));

        assertThat(read().comparison().storedByThisRun()).isTrue();
        assertThat(read().judgeAgain().outcome()).isEqualTo(Outcome.ALTERED);
        assertThat(read().judgeAgain().differences())
                .singleElement()
                .satisfies(d -> assertThat(d)
                        .startsWith("its times cannot be judged: this run cannot be the baseline chat: not warm"));
    }

    private static Measurement steady(long gapMs) {
        return Traces.run(100, 300 * Traces.MS, Traces.times(3, gapMs * Traces.MS))
                .measurement();
    }

    private Path judged(Budget budget, Measurement measurement) {
        RecordStore.Attempt attempt = store().start(GATE, "Chat");
        attempt.measured(measurement);
        attempt.judged(budget, budget.evaluate(measurement), PASSED);
        return attempt.path();
    }

    private Path compared(Measurement before, Measurement now) {
        Baseline baseline = new Baseline("chat", NOON, before);
        RecordStore.Attempt attempt = store().start(GATE, "Chat");
        attempt.measured(now);
        attempt.compared(
                ComparisonEntry.of(baseline.compare(now, Tolerance.ofPercent(10)), true), Optional.of(baseline));
        attempt.judged(ITL, ITL.evaluate(now), PASSED);
        return attempt.path();
    }

    /** The first step holds, the second is broken and decides. */
    private Path swept() {
        List<Measurement> runs = List.of(steady(20), steady(30));
        List<Double> loads = List.of(1.0, 2.0, 4.0);
        List<Sweep.Step> steps = new ArrayList<>();
        List<JudgementEntry> judgements = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Verdicts verdicts = ITL.evaluate(runs.get(i));
            steps.add(new Sweep.Step(loads.get(i), runs.get(i), verdicts.status()));
            judgements.add(JudgementEntry.of(verdicts));
        }
        Sweep sweep = new Sweep(Sweep.Unit.CONCURRENCY, 4, loads, steps);
        RecordStore.Attempt attempt = store().start(GATE, "Chat");
        attempt.swept(SweepEntry.of(sweep, judgements), sweep.deciding().measurement(), ITL);
        attempt.judged(ITL, ITL.evaluate(sweep.deciding().measurement()), PASSED);
        return attempt.path();
    }

    private static void change(Path file, UnaryOperator<String> change) throws IOException {
        String before = Files.readString(file);
        String after = change.apply(before);
        assertThat(after).isNotEqualTo(before);
        Files.writeString(file, after);
    }

    private GateRecord read() {
        Records records = store().read(Optional.empty());
        assertThat(records.unreadable()).isEmpty();
        assertThat(records.records()).hasSize(1);
        return records.records().get(0).content();
    }

    private RecordStore store() {
        return new RecordStore(folder, "run-1", Clock.systemUTC());
    }
}
