package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.baseline.ChangeStatus;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.BaselineStore;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.report.ReportStatus;
import io.github.latencybudget.report.ReportSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** What a gate does with its baseline, on a scripted clock. */
class BaselineGateTest {

    @TempDir
    Path folder;

    @InferenceTarget(target = FakeTarget.class, model = "baseline")
    static class Chat {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1000, outputTokens = 8, requests = 100)
        @ComparedWithBaseline
        void answers() {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "baseline")
    static class Told {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1000, outputTokens = 8, requests = 100)
        @ComparedWithBaseline(name = "Chat.answers", gating = false)
        void answers() {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "baseline")
    static class BothBroken {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1, outputTokens = 8, requests = 100)
        @ComparedWithBaseline(name = "Chat.answers")
        void answers() {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "baseline")
    static class OtherConditions {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1000, outputTokens = 16, requests = 100)
        @ComparedWithBaseline(name = "Chat.answers")
        void answers() {}
    }

    static class WithoutBudget {
        @Test
        @ComparedWithBaseline
        void answers() {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "baseline-wrong-attribute")
    static class WrongTolerance {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1000, outputTokens = 8)
        @ComparedWithBaseline(worseByMoreThanPercent = -10)
        void answers() {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "baseline-wrong-attribute")
    static class WrongName {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 1000, outputTokens = 8)
        @ComparedWithBaseline(name = "../chat")
        void answers() {}
    }

    @Test
    void whereThereIsNoBaselineTheGateFailsBeforeAnythingIsOpened() {
        int opened = opened();

        gates("none")
                .assertRefused(
                        Chat.class,
                        "@ComparedWithBaseline on Chat.answers: there is no baseline in %s: store one on purpose, by a run with latencybudget.baseline.update = true or from a record, and keep its file under version control"
                                .formatted(baselines().resolve("Chat.answers.json")));
        assertThat(opened()).isEqualTo(opened);
        assertThat(baselines()).doesNotExist();
    }

    @Test
    void aBaselineIsStoredOnPurposeAndThenComparedWith() {
        assertThat(store().testEvents().failed().count()).isZero();
        assertThat(comparison("store").storedByThisRun()).isTrue();
        assertThat(comparison("store").status()).isNull();

        assertThat(gates("same").run(Chat.class).testEvents().failed().count()).isZero();
        ComparisonEntry comparison = comparison("same");
        assertThat(comparison.status()).isEqualTo(ChangeStatus.SAME);
        assertThat(comparison.baseline()).isEqualTo("Chat.answers");
        assertThat(comparison.changes())
                .isNotEmpty()
                .allSatisfy(c -> assertThat(c.runRequests())
                        .as("no look ends a run that is compared")
                        .isEqualTo(100));
    }

    /** A switch that is left on compares nothing. */
    @Test
    void aRunThatIsStoredIsNoCleanPass() {
        store();

        ReportSummary summary = Gates.report(folder.resolve("store"));
        assertThat(summary.status()).isEqualTo(ReportStatus.PASSED_WITH_RESERVATIONS);
        assertThat(summary.headline())
                .isEqualTo("Passed with reservations: 1 of 1 gate stored as a baseline and compared with nothing");
        assertThat(summary.line())
                .isEqualTo(
                        "1 gate: 0 passed, 0 breached, 0 inconclusive, 1 stored as a baseline and compared with nothing, 0 skipped");
    }

    // Evaluation case 18.
    @Test
    void aRunThatIsFasterPassesAndSaysImproved() {
        store();

        assertThat(slow("faster", 50).run(Chat.class).testEvents().failed().count())
                .isZero();
        assertThat(comparison("faster").status()).isEqualTo(ChangeStatus.IMPROVED);
    }

    @Test
    void aRunThatIsSlowerFailsWithinItsBudget() {
        store();

        Throwable failure = slow("slower", 150).failure(Chat.class);

        assertThat(failure)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("WORSE  against the baseline Chat.answers of ")
                .hasMessageContaining("WORSE  TTFT for prompts of 64 tokens: worsened by 50.0%")
                .hasMessageContaining("evidence: " + folder.resolve("slower"));
        assertThat(record("slower").judgement().status().name()).isEqualTo("PASS");
    }

    @Test
    void whatIsNotGatingIsToldOnly() {
        store();

        assertThat(slow("told", 150).run(Told.class).testEvents().failed().count())
                .isZero();
        assertThat(comparison("told").status()).isEqualTo(ChangeStatus.WORSE);
        assertThat(comparison("told").passes()).isTrue();
    }

    @Test
    void aBrokenBudgetAndAWorseRunAreBothSaid() {
        store();

        Throwable failure = slow("both", 150).failure(BothBroken.class);

        assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("BREACH  TTFT P95");
        assertThat(failure.getSuppressed())
                .singleElement()
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.THROWABLE)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("WORSE  against the baseline");
    }

    @Test
    void otherConditionsAreRefusedByName() {
        store();

        assertThat(gates("other").failure(OtherConditions.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the two runs cannot be compared")
                .hasMessageContaining("output tokens: the baseline has 8, this run 16");
    }

    @Test
    void aDamagedBaselineIsAnErrorAndIsKept() throws IOException {
        Files.createDirectories(baselines());
        Files.writeString(baselines().resolve("Chat.answers.json"), "{\"schema\" : \"latency-budget/baseline/1\"");

        assertThat(gates("damaged").failure(Chat.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith("@ComparedWithBaseline on Chat.answers: the baseline in %s is damaged: "
                        .formatted(baselines().resolve("Chat.answers.json")));
        assertThat(baselines().resolve("Chat.answers.json")).content().hasLineCount(1);
    }

    @Test
    void aRunThatShowsNothingDoesNotBecomeABaseline() {
        EngineExecutionResults results = gates("broken")
                .with("latencybudget.baseline.update", "true")
                .with("latencybudget.options", "failEvery=10")
                .run(Chat.class);

        Throwable failure = Gates.failure(results);
        assertThat(failure).isInstanceOf(AssertionError.class);
        assertThat(failure.getSuppressed())
                .singleElement()
                .isInstanceOf(MeasurementException.class)
                .extracting(Throwable::getMessage)
                .asString()
                .startsWith("this run cannot be the baseline Chat.answers: ")
                .endsWith("; store a run without such findings");
        assertThat(baselines()).doesNotExist();
        assertThat(comparison("broken").passes()).isFalse();
    }

    @Test
    void aFolderThatCannotBeWrittenFailsAGateThatPassesOtherwise() throws IOException {
        Files.writeString(baselines(), "in the way");

        assertThat(Gates.failure(store()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "cannot write the baseline %s, because something else is in its place: move it away, or name another folder with latencybudget.baselines",
                        baselines().resolve("Chat.answers.json"));
        assertThat(comparison("store").passes()).isFalse();
    }

    @Test
    void aComparisonWithoutABudgetIsRefused() {
        gates("nothing")
                .assertRefused(
                        WithoutBudget.class,
                        "@ComparedWithBaseline on WithoutBudget.answers: there is no budget, so nothing is measured; add @LatencyBudget or another budget");
    }

    @Test
    void attributesThatCannotBeMeantAreRefused() {
        gates("tolerance")
                .assertRefused(
                        WrongTolerance.class,
                        "@ComparedWithBaseline on WrongTolerance.answers: `worseByMoreThanPercent = -10.0` is not allowed; must be above 0 and below 100");
        gates("name")
                .assertRefused(
                        WrongName.class,
                        "@ComparedWithBaseline on WrongName.answers: `name = ../chat` is not allowed; must be at most 100 letters, digits, `.`, `_` and `-`, and begin with a letter or digit");
        assertThat(FakeTarget.OPENED).doesNotContainKey("baseline-wrong-attribute");
    }

    @Test
    void aSlipOfThePenDoesNotUpdate() {
        gates("slip")
                .with("latencybudget.baseline.update", "yes")
                .assertRefused(
                        Chat.class, "`latencybudget.baseline.update = yes` is not allowed; it is `true` or `false`");
    }

    private EngineExecutionResults store() {
        return gates("store").with("latencybudget.baseline.update", "true").run(Chat.class);
    }

    private Gates slow(String run, int ttftMs) {
        return gates(run).with("latencybudget.options", "ttftMs=" + ttftMs);
    }

    private Gates gates(String run) {
        return new Gates(folder.resolve(run))
                .with("latencybudget.baselines", baselines().toString());
    }

    private Path baselines() {
        return new BaselineStore(folder.resolve("latency-baselines")).folder();
    }

    private ComparisonEntry comparison(String run) {
        return record(run).comparison();
    }

    private GateRecord record(String run) {
        List<GateRecord> records = new Gates(folder.resolve(run)).records();
        assertThat(records).hasSize(1);
        return records.get(0);
    }

    private static int opened() {
        return FakeTarget.OPENED.containsKey("baseline")
                ? FakeTarget.OPENED.get("baseline").get()
                : 0;
    }
}
