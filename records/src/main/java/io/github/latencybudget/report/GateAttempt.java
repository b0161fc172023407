package io.github.latencybudget.report;

import io.github.latencybudget.baseline.ChangeStatus;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgedAgain;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One attempt of a gate.
 *
 * @param record what its file holds
 * @param measurement what was measured; empty where nothing was
 * @param again what its raw times show now
 */
record GateAttempt(Path path, GateRecord record, Optional<Measurement> measurement, JudgedAgain again) {

    private static final Set<GateRecord.TestEnding.Status> PASSED = Set.of(
            GateRecord.TestEnding.Status.PASSED,
            GateRecord.TestEnding.Status.PARTLY_APPLICABLE,
            GateRecord.TestEnding.Status.PARTLY_SELECTED);

    static GateAttempt of(RecordStore.RecordFile file) {
        GateRecord record = file.content();
        return new GateAttempt(
                file.path(),
                record,
                record.measurement() == null
                        ? Optional.empty()
                        : Optional.of(record.measurement().toMeasurement()),
                record.judgeAgain());
    }

    boolean isLeftOut() {
        return record.state() == GateRecord.State.SKIPPED || record.state() == GateRecord.State.NOT_APPLICABLE;
    }

    GateStatus status() {
        return switch (record.state()) {
            case PLANNED -> GateStatus.NOT_RUN;
            case STARTED -> GateStatus.NOT_FINISHED;
            case SKIPPED -> GateStatus.SKIPPED;
            case NOT_APPLICABLE -> GateStatus.NOT_APPLICABLE;
            case REFUSED -> GateStatus.REFUSED;
            case INTERRUPTED -> GateStatus.INTERRUPTED;
            case ENDED -> ended();
        };
    }

    private GateStatus ended() {
        if (again.outcome() == JudgedAgain.Outcome.ALTERED) {
            return GateStatus.ALTERED;
        }
        if (again.outcome() == JudgedAgain.Outcome.OTHER_VERSION) {
            return GateStatus.JUDGED_OTHERWISE;
        }
        if (record.judgement() == null) {
            return GateStatus.ERROR;
        }
        return switch (record.judgement().status()) {
            case PASS -> compared().orElse(hasPassedTest() ? passed() : GateStatus.TEST_NOT_PASSED);
            case BREACH -> GateStatus.BREACHED;
            case INCONCLUSIVE -> compared().orElse(GateStatus.INCONCLUSIVE);
            case WAIVED -> compared().orElse(hasPassedTest() ? GateStatus.WAIVED : GateStatus.TEST_NOT_PASSED);
            case UNUSED_WAIVER -> GateStatus.UNUSED_WAIVER;
        };
    }

    /** A build that goes on storing its baselines compares nothing, and must not look as if it did. */
    private GateStatus passed() {
        GateRecord.TestEnding.Status ending = record.test().status();
        if (ending == GateRecord.TestEnding.Status.PARTLY_APPLICABLE) {
            return GateStatus.PARTLY_APPLICABLE;
        }
        if (ending == GateRecord.TestEnding.Status.PARTLY_SELECTED) {
            return GateStatus.PARTLY_SELECTED;
        }
        return record.comparison() != null && record.comparison().storedByThisRun()
                ? GateStatus.BASELINE_STORED
                : GateStatus.PASSED;
    }

    /** What the comparison makes of a gate within its budget; empty where it changes nothing. */
    private Optional<GateStatus> compared() {
        return Optional.ofNullable(record.comparison())
                .filter(c -> !c.passes())
                .map(c -> c.status() == ChangeStatus.WORSE ? GateStatus.BREACHED : GateStatus.INCONCLUSIVE);
    }

    private boolean hasPassedTest() {
        return record.test() != null && PASSED.contains(record.test().status());
    }

    /** {@return what the verdicts do not say, in words; empty where there is nothing more to say} */
    Optional<String> remark() {
        List<String> remarks =
                Stream.concat(changed().stream(), ofState().stream()).toList();
        return remarks.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", remarks));
    }

    private Optional<String> changed() {
        if (again.differences().isEmpty()) {
            return Optional.empty();
        }
        String said = String.join("; ", again.differences());
        return Optional.of(
                again.outcome() == JudgedAgain.Outcome.ALTERED
                        ? "The record was changed after it was written: its raw times do not show what it says. " + said
                                + ". Measure the gate again."
                        : String.format(
                                Locale.ROOT,
                                "Judged by version %s, and this version judges its raw times otherwise: %s. Measure the gate again.",
                                again.product(),
                                said));
    }

    private Optional<String> ofState() {
        return switch (record.state()) {
            case PLANNED -> Optional.of("It was planned, and its turn did not come.");
            case STARTED ->
                Optional.of(
                        measurement.isPresent() && record.sweep() == null
                                ? "Its process ended after the measurement and before the verdict."
                                : "Its measurement started and did not end: the process was killed or is still running.");
            case SKIPPED -> Optional.of("Skipped: " + record.skipReason());
            case NOT_APPLICABLE -> Optional.of("Not applicable: " + record.skipReason());
            case REFUSED -> Optional.of("Refused: " + record.error());
            case INTERRUPTED ->
                Optional.of(
                        measurement.isPresent()
                                ? "A signal stopped its process before the verdict: what was measured until then is in the record."
                                : "A signal stopped its process before the first request had ended.");
            case ENDED -> record.judgement() == null ? Optional.of("Error: " + record.error()) : testEnding();
        };
    }

    private Optional<String> testEnding() {
        GateRecord.TestEnding test = record.test();
        if (test == null) {
            return Optional.of("How the test itself ended is not recorded.");
        }
        String thrown = test.exception() == null ? "" : " (" + test.exception() + ")";
        return switch (test.status()) {
            case PASSED -> Optional.empty();
            case ABORTED -> Optional.of("The test itself was aborted" + thrown + ".");
            case FAILED -> Optional.of("The test itself failed" + thrown + ".");
            case PARTLY_APPLICABLE ->
                Optional.of(
                        "Some rules of the policy hold for other devices only and were not judged: the log names them.");
            case PARTLY_SELECTED ->
                Optional.of(
                        "Some rules of the policy were left out by a tag or another choice of tests, and not judged: the log names them.");
        };
    }
}
