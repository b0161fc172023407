package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.Json;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final Budget BUDGET =
            Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(300)));

    @TempDir
    Path folder;

    RecordStore store;

    @BeforeEach
    void makeStore() {
        store = Samples.store(folder);
    }

    @Test
    void withoutRecordsNothingWasMeasured() throws IOException {
        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOTHING_MEASURED);
        assertThat(summary.headline()).isEqualTo("Nothing was measured: there is no gate");
        assertThat(summary.line()).isEqualTo("0 gates: 0 passed, 0 breached, 0 inconclusive, 0 skipped");
        assertThat(summary.page()).isEqualTo(folder.resolve("index.html")).isRegularFile();
        assertThat(Files.readString(folder.resolve("summary.md"))).startsWith("## Nothing was measured");
        assertThat(json().get("run").asText()).isEqualTo(store.run());
        assertThat(json().get("status").asText()).isEqualTo("NOTHING_MEASURED");
    }

    @Test
    void aRunInWhichAllHoldsIsPassed() {
        holds("first");
        holds("second");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED);
        assertThat(summary.headline()).isEqualTo("All 2 gates passed");
        assertThat(summary.line()).isEqualTo("2 gates: 2 passed, 0 breached, 0 inconclusive, 0 skipped");
    }

    /** Case 19, in the report. */
    @Test
    void aRerunThatPassesIsNoCleanPass() throws IOException {
        breaks("flaky");
        holds("flaky");
        holds("steady");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.line())
                .isEqualTo("2 gates: 1 passed, 0 breached, 0 inconclusive, 1 passed only on a rerun, 0 skipped");
        JsonNode gate = json().get("gates").get(0);
        assertThat(gate.get("status").asText()).isEqualTo("PASSED_ON_RERUN");
        assertThat(gate.get("statusText").asText()).isEqualTo("PASSED on attempt 2 of 2");
        assertThat(gate.get("attempts").findValuesAsText("status"))
                .startsWith("BREACHED")
                .contains("PASSED");
        assertThat(gate.get("attempts").size()).isEqualTo(2);
    }

    @Test
    void aSkippedRerunDoesNotHideABreach() throws IOException {
        breaks("gate");
        store.skip(gate("gate"), "gate", "no GPU any more");

        assertThat(Samples.report(store, folder).status()).isEqualTo(ReportStatus.BREACHED);
        assertThat(json().get("gates").get(0).get("statusText").asText()).isEqualTo("BREACHED on attempt 1 of 2");
    }

    /** Case 20, in the summary. */
    @Test
    void skippedGatesAreCountedAndKeepTheRunFromACleanPass() {
        holds("first");
        store.skip(gate("gpu"), "gpu", "no NVIDIA GPU");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.headline()).isEqualTo("Passed with reservations: 1 of 2 gates skipped");
        assertThat(summary.line()).isEqualTo("2 gates: 1 passed, 0 breached, 0 inconclusive, 1 skipped");
    }

    @Test
    void whereAllIsSkippedNothingWasMeasured() {
        store.skip(gate("gpu"), "gpu", "no NVIDIA GPU");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOTHING_MEASURED);
        assertThat(summary.headline()).isEqualTo("Nothing was measured: 1 gate skipped");
    }

    @Test
    void gatesForAnotherDeviceAreCountedAndKeepTheRunFromACleanPass() throws IOException {
        holds("first");
        store.start(gate("h200"), "h200").notApplicable("its limits hold for NVIDIA H200, and this device is CPU");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.headline()).isEqualTo("Passed with reservations: 1 of 2 gates not applicable");
        assertThat(summary.line())
                .isEqualTo("2 gates: 1 passed, 0 breached, 0 inconclusive, 1 not applicable, 0 skipped");
        assertThat(json().get("gates").get(0).get("status").asText()).isEqualTo("NOT_APPLICABLE");
    }

    @Test
    void whereNothingIsApplicableNothingWasMeasured() {
        store.start(gate("h200"), "h200").notApplicable("its limits hold for NVIDIA H200, and this device is CPU");
        store.skip(gate("gpu"), "gpu", "no NVIDIA GPU");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOTHING_MEASURED);
        assertThat(summary.headline()).isEqualTo("Nothing was measured: 2 gates, 1 skipped and 1 not applicable");
    }

    @Test
    void aGuardThatIsSwitchedOffIsSaidInEveryRendering() throws IOException {
        Measurement unguarded = unguarded(Samples.steady("tiny", 64, 4, i -> 100 * MILLI));
        RecordStore.Attempt attempt = store.start(gate("chat"), "chat");
        attempt.measured(unguarded);
        Samples.judge(
                attempt,
                Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(300))),
                unguarded,
                Samples.PASSED);

        assertThat(Samples.report(store, folder).status()).isEqualTo(ReportStatus.PASSED);
        assertThat(Files.readString(folder.resolve("index.html")))
                .contains("<dt>other-processes</dt><dd>set by hand to off</dd>")
                .contains("<dt>max-drift</dt><dd>set by hand to 0.5; clear: TTFT at 128 tokens +0.0%</dd>");
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("guard other-processes: set by hand to off")
                .contains("guard max-drift: set by hand to 0.5; clear: ");
        assertThat(json().get("gates")
                        .get(0)
                        .get("attempts")
                        .get(0)
                        .get("judgement")
                        .get("guards")
                        .get(0)
                        .get("state")
                        .asText())
                .isEqualTo("OFF");
    }

    private static Measurement unguarded(Measurement m) {
        return new Measurement(
                m.conditions(),
                m.environment(),
                m.warmUp(),
                m.traces(),
                m.peakDeviceMemoryBytes(),
                m.findings(),
                m.steps(),
                new RunWatch(
                        GuardSettings.DEFAULT.without(Guard.OTHER_PROCESSES).with(Guard.MAX_DRIFT, 0.5),
                        Optional.empty(),
                        new TreeMap<>(),
                        new TreeMap<>()));
    }

    @Test
    void aKilledGateIsNotFinished() {
        holds("first");
        store.start(gate("killed"), "killed");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOT_SHOWN);
        assertThat(summary.headline()).isEqualTo("1 of 2 gates fails: 1 not finished");
        assertThat(summary.line())
                .isEqualTo("2 gates: 1 passed, 0 breached, 0 inconclusive, 1 not finished, 0 skipped");
    }

    @Test
    void aGateKilledBetweenMeasurementAndVerdictIsNotFinished() throws IOException {
        store.start(gate("killed"), "killed").measured(Samples.steady("tiny", 5, 16, r -> 200 * MILLI));

        Samples.report(store, folder);

        JsonNode attempt = json().get("gates").get(0).get("attempts").get(0);
        assertThat(attempt.get("status").asText()).isEqualTo("NOT_FINISHED");
        assertThat(attempt.get("outcomes").get("COMPLETED").asInt()).isEqualTo(5);
        assertThat(attempt.get("judgement").isNull()).isTrue();
    }

    @Test
    void aPlannedGateIsNotRunAndABrokenOneIsAnError() {
        store.plan(gate("planned"), "planned");
        store.start(gate("broken"), "broken").broken("out of device memory");

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOT_SHOWN);
        assertThat(summary.counts())
                .containsEntry(GateStatus.NOT_RUN, 1)
                .containsEntry(GateStatus.ERROR, 1)
                .containsEntry(GateStatus.PASSED, 0);
    }

    @Test
    void aTestThatFailsByItselfIsNoCleanPass() {
        end("aborted", 200, new TestEnding(TestEnding.Status.ABORTED, "org.opentest4j.TestAbortedException"));
        end("failed", 200, new TestEnding(TestEnding.Status.FAILED, "java.lang.IllegalStateException"));
        end("breached", 400, new TestEnding(TestEnding.Status.FAILED, "java.lang.IllegalStateException"));

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.counts())
                .containsEntry(GateStatus.TEST_NOT_PASSED, 2)
                .containsEntry(GateStatus.BREACHED, 1)
                .containsEntry(GateStatus.PASSED, 0);
    }

    @Test
    void aPolicyWithRulesForAnotherDeviceIsNoCleanPass() throws IOException {
        end("policy", 200, new TestEnding(TestEnding.Status.PARTLY_APPLICABLE, null));

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.counts())
                .containsEntry(GateStatus.PARTLY_APPLICABLE, 1)
                .containsEntry(GateStatus.PASSED, 0);
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("1 of 1 gate passed with rules that are not applicable")
                .contains(
                        "Some rules of the policy hold for other devices only and were not judged: the log names them.");
    }

    @Test
    void aPolicyOfWhichRulesWereLeftOutIsNoCleanPass() throws IOException {
        end("policy", 200, new TestEnding(TestEnding.Status.PARTLY_SELECTED, null));

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.counts())
                .containsEntry(GateStatus.PARTLY_SELECTED, 1)
                .containsEntry(GateStatus.PASSED, 0);
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("1 of 1 gate passed with rules that were left out")
                .contains(
                        "Some rules of the policy were left out by a tag or another choice of tests, and not judged: the log names them.");
    }

    @Test
    void aDamagedRecordIsNamedAndKeepsTheRunFromPassing() throws IOException {
        holds("first");
        Files.writeString(store.folder().resolve("half.json"), "{\"schema\":");
        Files.createFile(store.folder().resolve("empty.json"));

        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.NOT_SHOWN);
        assertThat(summary.line())
                .isEqualTo("1 gate: 1 passed, 0 breached, 0 inconclusive, 0 skipped; 2 records unreadable");
        assertThat(json().get("generatedFrom").get("unreadable").findValuesAsText("record"))
                .containsExactly("records/empty.json", "records/half.json");
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("**Record that cannot be read**: records/half.json: not a whole record");
    }

    /** A gate that this run has measured again takes the place of what an earlier run in the same folder says of it. */
    @Test
    void gatesOfOtherRunsThatWereNotMeasuredAgainAreLeftOutAndNamed() throws IOException {
        RecordStore older = Samples.store(folder, "20251231T120000-1", Samples.NOON.minusSeconds(86_400));
        older.start(gate("gate"), "gate").broken("old");
        holds("gate");
        assertThat(Samples.report(store, folder).status()).isEqualTo(ReportStatus.PASSED);

        older.start(gate("removed"), "removed").broken("old");
        ReportSummary summary = Samples.report(store, folder);

        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.headline())
                .isEqualTo("Passed with reservations: 1 gate of other runs in the folder left out");
        assertThat(json().get("generatedFrom")
                        .get("gatesOfOtherRunsLeftOut")
                        .get(0)
                        .asText())
                .isEqualTo("com.example.ChatSlaTest#removed(Measurement)");
    }

    /** R3: the records of a run of 16 gates, of which 2 are breached, beside those of a later run of one gate. */
    @Test
    void recordsOfSeveralRunsAreAllShownUnlessOneIsAskedFor() throws IOException {
        for (int i = 0; i < 14; i++) {
            holds("gate" + i);
        }
        breaks("first");
        breaks("second");
        store = Samples.store(folder, "20260102T120000-1", Samples.NOON.plusSeconds(86_400));
        holds("gate0");

        assertThat(Samples.report(store, folder).status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        Samples.planAll(folder);
        ReportSummary all = Report.write(store, Optional.empty(), folder);

        assertThat(all.status()).isEqualTo(ReportStatus.BREACHED);
        assertThat(all.headline()).isEqualTo("2 of 17 gates fail: 2 breached");
        assertThat(all.status().exitCode()).isEqualTo(1);
        assertThat(json().get("gates").findValuesAsText("run")).contains("20260101T120000-4711", "20260102T120000-1");
    }

    @Test
    void theJsonNamesItsSchemaAndLinksEveryRecord() throws IOException {
        ReportExample.write(folder);
        Samples.report(store, folder);

        String text = Files.readString(folder.resolve("report.json"));
        assertThat(text).doesNotContain("NaN", "Infinity");
        assertThat(json().get("schema").asText()).isEqualTo("latency-budget/report/1");
        for (JsonNode gate : json().get("gates")) {
            for (JsonNode attempt : gate.get("attempts")) {
                assertThat(folder.resolve(attempt.get("record").asText())).isRegularFile();
            }
        }
    }

    private void holds(String name) {
        end(name, 200, Samples.PASSED);
    }

    private void breaks(String name) {
        end(name, 400, Samples.PASSED);
    }

    private void end(String name, int ttftMillis, TestEnding ending) {
        Measurement measurement = Samples.steady("tiny", 64, 16, r -> ttftMillis * MILLI);
        RecordStore.Attempt attempt = store.start(gate(name), name);
        attempt.measured(measurement);
        Samples.judge(attempt, BUDGET, measurement, ending);
    }

    private JsonNode json() throws IOException {
        return Json.MAPPER.readTree(folder.resolve("report.json").toFile());
    }
}
