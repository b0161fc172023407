package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.RecordStore.RecordFile;
import io.github.latencybudget.record.Records;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of 200 gates that hold, something happens to one, 1,000 times: the headline is never green. */
class NothingIsGreenOverRedTest {

    private static final int GATES = 200;
    private static final int TIMES = 1_000;
    private static final Budget BUDGET =
            Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P50, Duration.ofMillis(300)));
    private static final Measurement HOLDS = Samples.steady("model", 12, 2, i -> (200 + i) * Samples.MILLI);
    private static final Measurement BREAKS = Samples.steady("model", 12, 2, i -> (400 + i) * Samples.MILLI);
    private static final Measurement TOO_FEW = Samples.steady("model", 2, 2, i -> (200 + i) * Samples.MILLI);

    @TempDir
    static Path folder;

    private static Records whole;

    /** What may happen to a gate, to its record, or to the list of gates. */
    private enum Fault {
        BREACHED,
        INCONCLUSIVE,
        REFUSED,
        KILLED,
        KILLED_BEFORE_ITS_VERDICT,
        INTERRUPTED,
        BROKEN,
        NEVER_STARTED,
        TEST_FAILED,
        DELETED,
        TRUNCATED,
        EMPTY,
        VERDICT_ALTERED,
        OBSERVED_ALTERED,
        TIME_ALTERED,
        LIMIT_ALTERED,
        STATE_ALTERED,
        REPLACED_BY_ANOTHER,
        NOT_IN_THE_PLAN,
        PLAN_DELETED_BUT_EXPECTED_ELSEWHERE,
        PLAN_NOT_ENDED
    }

    private static RecordStore store(Path folder) {
        return Samples.store(folder, "run", Samples.NOON);
    }

    private static GateId id(int gate) {
        return Samples.gate("gate" + gate);
    }

    private static List<PlannedGate> planned() {
        return IntStream.range(0, GATES)
                .mapToObj(i -> new PlannedGate(
                        id(i), "gate " + i, List.of(BUDGET.rules().get(0).text())))
                .toList();
    }

    private static void run(RecordStore store, GateId gate, Measurement measurement, TestEnding ending) {
        RecordStore.Attempt attempt = store.start(gate, gate.methodName());
        attempt.measured(measurement);
        Samples.judge(attempt, BUDGET, measurement, ending);
    }

    @BeforeAll
    static void measureAll() {
        Path all = folder.resolve("all");
        RecordStore store = store(all);
        RecordStore.PlanFile plan = store.planned(null, planned(), planned());
        IntStream.range(0, GATES).forEach(i -> run(store, id(i), HOLDS, Samples.PASSED));
        store.finished(plan);
        whole = store.read(Optional.of("run"));
    }

    @Test
    void withoutAFaultItIsGreen() {
        assertThat(RunReport.of(whole).status()).isEqualTo(ReportStatus.PASSED);
        assertThat(RunReport.of(whole).headline()).isEqualTo("All 200 gates passed");
    }

    @Test
    void withOneItNeverIs() throws IOException {
        Random random = new Random(200);
        Map<Fault, String> headlines = new EnumMap<>(Fault.class);
        for (int i = 0; i < TIMES; i++) {
            Fault fault = Fault.values()[i % Fault.values().length];
            RunReport report = RunReport.of(with(fault, random.nextInt(GATES), folder.resolve("fault" + i)));

            assertThat(report.status())
                    .as("%s: %s", fault, report.headline())
                    .isIn(ReportStatus.BREACHED, ReportStatus.NOT_SHOWN, ReportStatus.RUNNING);
            assertThat(report.status().exitCode()).as("%s", fault).isNotZero();
            headlines.put(fault, report.headline());
        }
        assertThat(headlines)
                .containsEntry(Fault.BREACHED, "1 of 200 gates fails: 1 breached")
                .containsEntry(Fault.VERDICT_ALTERED, "1 of 200 gates fails: 1 altered")
                .containsEntry(Fault.DELETED, "1 of 200 gates fails: 1 missing")
                .containsEntry(Fault.NOT_IN_THE_PLAN, "1 of 200 gates fails: 1 missing")
                .containsEntry(Fault.REFUSED, "1 of 200 gates fails: 1 refused")
                .containsEntry(Fault.PLAN_NOT_ENDED, "Running, or killed before its end: 200 of 200 gates ended");
    }

    /** {@return the whole run, and what is in it of one gate after something happened to that} */
    private static Records with(Fault fault, int victim, Path own) throws IOException {
        RecordStore store = store(own);
        String name = whole.records().get(0).content().source().origin();
        Files.createDirectories(own.resolve("records"));
        Files.writeString(own.resolve("records/.origin"), name);
        List<PlannedGate> plannedGates = planned();
        boolean ends = true;
        switch (fault) {
            case BREACHED -> run(store, id(victim), BREAKS, Samples.PASSED);
            case INCONCLUSIVE -> run(store, id(victim), TOO_FEW, Samples.PASSED);
            case REFUSED -> store.refuse(id(victim), "gate", "ttftMs = -1 is not allowed");
            case KILLED -> store.start(id(victim), "gate");
            case KILLED_BEFORE_ITS_VERDICT -> store.start(id(victim), "gate").measured(HOLDS);
            case INTERRUPTED -> store.start(id(victim), "gate").interrupted(HOLDS);
            case BROKEN -> store.start(id(victim), "gate").broken("the server is gone");
            case NEVER_STARTED -> store.plan(id(victim), "gate");
            case TEST_FAILED ->
                run(store, id(victim), HOLDS, new TestEnding(TestEnding.Status.FAILED, "java.lang.Exception"));
            case DELETED -> {
                // Nothing is left of it.
            }
            case TRUNCATED -> edit(store, victim, HOLDS, text -> text.substring(0, text.length() / 2));
            case EMPTY -> edit(store, victim, HOLDS, text -> "");
            case VERDICT_ALTERED -> edit(store, victim, BREAKS, text -> text.replace("BREACH", "PASS"));
            case OBSERVED_ALTERED -> edit(store, victim, HOLDS, text -> text.replace("2.05E8", "1.05E8"));
            case TIME_ALTERED -> edit(store, victim, HOLDS, text -> text.replaceAll("\\b20\\d000000\\b", "400000000"));
            case LIMIT_ALTERED ->
                edit(store, victim, BREAKS, text -> text.replace("\"limit\" : 3.0E8", "\"limit\" : 5.0E8"));
            case STATE_ALTERED -> edit(store, victim, BREAKS, text -> text.replace("\"ENDED\"", "\"SKIPPED\""));
            case REPLACED_BY_ANOTHER ->
                edit(
                        store,
                        victim,
                        HOLDS,
                        text -> text.replace("gate" + victim + "(", "gate" + (victim + 1) % GATES + "("));
            case NOT_IN_THE_PLAN, PLAN_DELETED_BUT_EXPECTED_ELSEWHERE -> {
                plannedGates = new ArrayList<>(plannedGates);
                plannedGates.remove(victim);
            }
            case PLAN_NOT_ENDED -> {
                run(store, id(victim), HOLDS, Samples.PASSED);
                ends = false;
            }
        }
        RecordStore.PlanFile plan = store.planned(null, plannedGates, planned());
        if (ends) {
            store.finished(plan);
        }
        if (fault == Fault.PLAN_DELETED_BUT_EXPECTED_ELSEWHERE) {
            Files.delete(plan.path());
            store.finished(store.planned(null, List.of(), planned()));
        }
        Records one = store.read(Optional.of("run"));
        List<RecordFile> records = Stream.concat(
                        whole.records().stream().filter(r -> !r.content().gate().equals(id(victim))),
                        one.records().stream())
                .sorted(Comparator.comparing(r -> r.content().gate()))
                .toList();
        return new Records(Optional.of("run"), records, one.plans(), one.unreadable(), Records.LeftOut.NONE);
    }

    private interface Edit {
        String of(String text);
    }

    private static void edit(RecordStore store, int victim, Measurement measurement, Edit edit) throws IOException {
        run(store, id(victim), measurement, Samples.PASSED);
        Path file = store.read(Optional.empty()).records().get(0).path();
        String text = Files.readString(file);
        String edited = edit.of(text);
        assertThat(edited).as("the edit changes the record").isNotEqualTo(text);
        Files.writeString(file, edited);
    }
}
