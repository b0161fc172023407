package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each time that a test plan has a gate, there is an attempt of it, and no attempt stands for two tests. */
class PlannedAttemptsTest {

    private static final Budget BUDGET =
            Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P50, Duration.ofMillis(300)));
    private static final PlannedGate GATE = new PlannedGate(
            gate("flaky"), "flaky", List.of(BUDGET.rules().get(0).text()));

    @TempDir
    Path folder;

    private RecordStore store;

    @BeforeEach
    void makeStore() {
        store = Samples.store(folder);
    }

    @Test
    void aRerunThatPassesIsAReservation() {
        run(400);
        run(200);

        assertHeadline("Passed with reservations: 1 of 1 gate passed only on a rerun", 0);
    }

    @Test
    void aFirstAttemptThatIsGoneLeavesNoCleanPass() throws IOException {
        run(400);
        run(200);
        delete("attempt-1");

        assertHeadline("The gate fails: missing", 2);
    }

    @Test
    void aLastAttemptThatIsGoneLeavesNoCleanPass() throws IOException {
        run(200);
        run(400);
        delete("attempt-2");

        assertHeadline("The gate fails: missing", 2);
    }

    @Test
    void anAttemptThatIsThereTwiceIsNoRerun() throws IOException {
        run(200);
        Path record = files("attempt-1").get(0);
        Files.copy(record, record.resolveSibling("downloaded again.json"));

        assertHeadline("The gate fails: missing", 2);
    }

    @Test
    void anAttemptThatIsRefusedDecides() {
        run(200);
        RecordStore.PlanFile plan = store.planned(null, List.of(GATE), null);
        store.refuse(GATE.gate(), GATE.displayName(), "there is no such setting");
        store.finished(plan);

        assertHeadline("The gate fails: refused", 2);
    }

    @Test
    void anAttemptWhoseTurnDidNotComeDecides() {
        run(200);
        RecordStore.PlanFile plan = store.planned(null, List.of(GATE), null);
        store.plan(GATE.gate(), GATE.displayName());
        store.finished(plan);

        assertHeadline("The gate fails: not run", 2);
    }

    @Test
    void twoTestsOfOnePlanThatAreOneGateDoNotHideOneAnother() {
        RecordStore.PlanFile plan = store.planned(null, List.of(GATE, GATE), null);
        measure(400);
        measure(200);
        store.finished(plan);

        assertHeadline("The gate fails: missing", 2);
    }

    @Test
    void aRecordWithoutItsPlanIsNoCleanPass() throws IOException {
        run(200);
        delete(".plan");

        assertHeadline("The gate fails: missing", 2);
    }

    /** Two modules of a build that have one folder, and a policy of the same name each. */
    @Test
    void aGateOfAnotherModuleIsNoRerun() throws IOException {
        run(400);
        Path plan = files(".plan").get(0);
        String text = Files.readString(plan);
        Files.writeString(
                plan, text.replaceFirst("\"directory\" : \"[^\"]*\"", "\"directory\" : \"/build/other-module\""));
        run(200);

        assertThat(Files.readString(plan)).contains("other-module");
        assertHeadline("The gate fails: missing", 2);
    }

    /** Machines that began with a copy of one folder, and a container each, in which process ids are the same. */
    @Test
    void recordsThatReplacedThoseOfAnotherMachineAreMissed() throws IOException {
        store.planned(null, List.of(), null);
        Path other = folder.resolve("other");
        Files.createDirectories(other.resolve("records"));
        Files.copy(folder.resolve("records/.origin"), other.resolve("records/.origin"));
        delete(".plan");
        run(400);
        RecordStore here = store;
        store = Samples.store(other);
        run(200);
        store = here;
        try (Stream<Path> files = Files.list(other.resolve("records"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, folder.resolve("records").resolve(file.getFileName()), REPLACE_EXISTING);
            }
        }

        assertHeadline("The gate fails: missing", 2);
    }

    private void assertHeadline(String headline, int exitCode) {
        ReportSummary summary = Report.write(store, folder);
        assertThat(summary.headline()).isEqualTo(headline);
        assertThat(summary.status().exitCode()).isEqualTo(exitCode);
    }

    private void run(int ttftMillis) {
        RecordStore.PlanFile plan = store.planned(null, List.of(GATE), null);
        measure(ttftMillis);
        store.finished(plan);
    }

    private void measure(int ttftMillis) {
        Measurement measurement = Samples.steady("tiny", 12, 2, r -> ttftMillis * MILLI);
        RecordStore.Attempt attempt = store.start(GATE.gate(), GATE.displayName());
        attempt.measured(measurement);
        Samples.judge(attempt, BUDGET, measurement, Samples.PASSED);
    }

    private void delete(String part) throws IOException {
        for (Path file : files(part)) {
            Files.delete(file);
        }
    }

    private List<Path> files(String part) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("records"))) {
            return files.filter(f -> f.getFileName().toString().contains(part)).toList();
        }
    }
}
