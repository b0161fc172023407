package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore.RecordFile;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordStoreTest {

    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds(Measurement)");
    private static final TestEnding PASSED = new TestEnding(TestEnding.Status.PASSED, null);
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    Path folder;

    RecordStore store;

    @BeforeEach
    void makeStore() {
        store = store("run-1", NOON);
    }

    @Test
    void aFolderThatDoesNotExistHoldsNoRecords() {
        RecordStore nowhere = new RecordStore(folder.resolve("none"), "run", Clock.systemUTC());

        assertThat(nowhere.read(Optional.empty()).records()).isEmpty();
        assertThat(nowhere.read(Optional.empty()))
                .isEqualTo(new Records(Optional.empty(), List.of(), List.of(), List.of(), Records.LeftOut.NONE));
    }

    @Test
    void whatAnInterruptedThreadHasMeasuredIsWritten() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");

        Thread.currentThread().interrupt();
        try {
            attempt.broken("called off");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }

        assertThat(only().error()).isEqualTo("called off");
    }

    @Test
    void whatCannotBeWrittenIsPartOfTheNextWrite() throws IOException {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        Path inTheWay = attempt.path().resolveSibling(attempt.path().getFileName() + ".writing");
        Files.createDirectory(inTheWay);
        assertThatThrownBy(() -> attempt.measured(Measurements.full())).isInstanceOf(UncheckedIOException.class);
        Files.delete(inTheWay);

        attempt.judged(Measurements.budget(), Measurements.budget().evaluate(Measurements.full()), PASSED);

        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));
    }

    @Test
    void aGateGoesFromPlannedOverStartedAndMeasuredToJudged() {
        store.plan(GATE, "Chat");
        assertThat(only().state()).isEqualTo(State.PLANNED);

        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        assertThat(only().state()).isEqualTo(State.STARTED);
        assertThat(only().measurement()).isNull();

        attempt.measured(Measurements.full());
        assertThat(only().state()).isEqualTo(State.STARTED);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));

        attempt.judged(Measurements.budget(), Measurements.budget().evaluate(Measurements.full()), PASSED);
        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().judgement())
                .isEqualTo(JudgementEntry.of(Measurements.budget().evaluate(Measurements.full())));
        assertThat(only().measurement()).isNotNull();
        assertThat(only().test()).isEqualTo(PASSED);
        assertThat(only().times()).isEqualTo(new GateRecord.Times(NOON, NOON, NOON, 0));
    }

    @Test
    void aGateThatBrokeKeepsWhatWasMeasured() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.measured(Measurements.full());
        attempt.broken("out of device memory");

        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().error()).isEqualTo("out of device memory");
        assertThat(only().judgement()).isNull();
        assertThat(only().measurement()).isNotNull();
    }

    @Test
    void aGateThatBrokeInMidRunHasWhatWasMeasuredUntilThen() {
        store.start(GATE, "Chat").broken("out of device memory", Measurements.full());

        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().error()).isEqualTo("out of device memory");
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));
    }

    @Test
    void aSkippedGateHasItsReason() {
        store.plan(GATE, "Chat");
        store.skip(GATE, "Chat", "no GPU");

        assertThat(only().state()).isEqualTo(State.SKIPPED);
        assertThat(only().skipReason()).isEqualTo("no GPU");
        assertThat(only().times().started()).isNull();
    }

    @Test
    void aRefusedGateHasItsErrorAndNothingElse() {
        store.plan(GATE, "Chat");
        store.refuse(GATE, "Chat", "ttftMs = -1: must be above 0");

        assertThat(only().state()).isEqualTo(State.REFUSED);
        assertThat(only().error()).isEqualTo("ttftMs = -1: must be above 0");
        assertThat(only().times()).isEqualTo(new GateRecord.Times(NOON, null, NOON, 0));
        assertThat(only().result()).isEqualTo(GateRecord.Result.NONE);
    }

    @Test
    void aGateThatNobodyPlannedIsRefusedToo() {
        store.refuse(GATE, "Chat", "no such device");

        assertThat(only().state()).isEqualTo(State.REFUSED);
    }

    @Test
    void aGateWhoseTargetRefusesItsOptionsIsRefused() {
        store.start(GATE, "Chat", 12).refused("top_k = -1: must not be negative");

        assertThat(only().state()).isEqualTo(State.REFUSED);
        assertThat(only().times().waitedNanos()).isEqualTo(12);
    }

    @Test
    void aGateThatASignalStoppedKeepsWhatWasMeasured() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.interrupted(Measurements.full());

        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        assertThat(only().times().ended()).isEqualTo(NOON);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));
        assertThat(only().judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.NOT_JUDGED);
    }

    @Test
    void aGateThatASignalStoppedBehindItsMeasurementKeepsThat() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.measured(Measurements.full());
        attempt.interrupted();

        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));
    }

    /** The thread that measures finds its run broken off, and would write that as an error. */
    @Test
    void behindASignalNothingElseIsWritten() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.interrupted(Measurements.full());

        attempt.broken("the run was interrupted");
        attempt.measured(Measurements.empty());
        attempt.judged(Measurements.budget(), Measurements.budget().evaluate(Measurements.empty()), PASSED);

        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(Measurements.full()));
    }

    @Test
    void aSignalChangesNothingOfAGateThatHasEnded() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.broken("out of device memory");

        attempt.interrupted(Measurements.full());

        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().measurement()).isNull();
    }

    @Test
    void aSweepThatASignalStoppedKeepsItsStepsAndTheOneThatWasNotFinished() {
        Measurement run = Measurements.full();
        Verdicts verdicts = Measurements.budget().evaluate(run);
        Sweep sweep = new Sweep(
                Sweep.Unit.CONCURRENCY, 2, List.of(1.0, 2.0), List.of(new Sweep.Step(1, run, verdicts.status())));
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.swept(SweepEntry.of(sweep, List.of(JudgementEntry.of(verdicts))), run, Measurements.budget());

        attempt.interrupted(Measurements.empty());

        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        assertThat(only().measurement()).isEqualTo(MeasurementEntry.of(run));
        assertThat(only().sweep().steps()).hasSize(1);
        assertThat(only().sweep().unfinished()).isEqualTo(MeasurementEntry.of(Measurements.empty()));
        assertThat(only().judgeAgain().differences()).isEmpty();
        assertThat(only().judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.SAME);
    }

    @Test
    void aRecordNamesItsRunItsOriginAndTheVersionOfTheProduct() {
        store.start(GATE, "Chat", 7).broken("gone");

        assertThat(only().source()).isEqualTo(new Source("run-1", Origin.of(folder), Product.VERSION));
        assertThat(Product.VERSION).matches("[0-9]+\\.[0-9]+.*");
        assertThat(only().times().waitedNanos()).isEqualTo(7);
    }

    // R3
    @Test
    void allRunsOfAFolderAreRead() {
        GateId other = new GateId("com.example.OtherTest", "holds()");
        store.start(GATE, "Chat").broken("of the run with two gates");
        store.start(other, "Other").broken("of the run with two gates");
        store("run-2", NOON.plusSeconds(60)).start(GATE, "Chat").broken("of the later run");

        Records all = store.read(Optional.empty());
        assertThat(all.records())
                .extracting(f -> f.content().run(), f -> f.content().gate())
                .containsExactly(tuple("run-1", GATE), tuple("run-2", GATE), tuple("run-1", other));
        assertThat(all.leftOut()).isEqualTo(Records.LeftOut.NONE);

        Records later = store.read(Optional.of("run-2"));
        assertThat(later.records()).extracting(f -> f.content().error()).containsExactly("of the later run");
        assertThat(later.leftOut()).isEqualTo(new Records.LeftOut(2, new TreeSet<>(Set.of(GATE, other))));
    }

    @Test
    void aPlanIsReadBesideTheRecords() {
        PlannedGate gate = new PlannedGate(GATE, "Chat", List.of("ITL P95 at most 50.0 ms"));
        PlannedGate expected = new PlannedGate(GATE, "Chat", List.of());

        RecordStore.PlanFile plan = store.planned("-Dtest=ChatTest", List.of(gate), List.of(expected));
        store.planned(null, List.of(), null);
        store("run-2", NOON).planned(null, List.of(), null);

        Records records = store.read(Optional.of("run-1"));
        assertThat(records.unreadable()).isEmpty();
        assertThat(records.records()).isEmpty();
        assertThat(records.plans()).hasSize(2);
        assertThat(records.plans()).contains(plan);
        assertThat(plan.content())
                .isEqualTo(new PlanRecord(
                        PlanRecord.SCHEMA,
                        new Source("run-1", Origin.of(folder), Product.VERSION),
                        ProcessHandle.current().pid(),
                        Path.of("").toAbsolutePath().toString(),
                        NOON,
                        null,
                        "-Dtest=ChatTest",
                        List.of(gate),
                        List.of(expected)));
        assertThat(plan.path().getFileName().toString()).endsWith(".plan.json");

        store("run-1", NOON.plusSeconds(9)).finished(plan);

        assertThat(store.read(Optional.of("run-1")).plans())
                .extracting(p -> p.content().finished())
                .containsExactlyInAnyOrder(NOON.plusSeconds(9), null);
        assertThat(store.read(Optional.empty()).plans()).hasSize(3);
    }

    /** As the artifacts of several jobs are unpacked, each into a folder of its own. */
    @Test
    void recordsInAFolderOfTheirOwnAreNotPassedOver() throws IOException {
        store.start(GATE, "Chat").broken("the server is gone");
        Path other = Files.createDirectory(folder.resolve("machine-2"));

        assertThat(store.read(Optional.empty()).unreadable()).singleElement().satisfies(u -> {
            assertThat(u.path()).isEqualTo(other);
            assertThat(u.problem()).startsWith("cannot be read: a folder, not a plain file");
        });
    }

    @Test
    void aPlanThatCannotBeReadIsNamed() throws IOException {
        RecordStore.PlanFile plan = store.planned(null, List.of(), null);
        Files.writeString(plan.path(), Files.readString(plan.path()).replace("\"pid\"", "\"process\""));

        assertThat(store.read(Optional.of("run-1")).unreadable())
                .singleElement()
                .satisfies(u -> assertThat(u.problem()).startsWith("not a whole record: "));
    }

    /** A run's id is free text, and its beginning alone is in the name. */
    @Test
    void runsWhoseNamesBeginAlikeHaveFilesOfTheirOwn() {
        String run = "r".repeat(100);
        for (String end : List.of("a", "b", "b/", "b:")) {
            store(run + end, NOON).start(GATE, "Chat").broken(end);
        }

        assertThat(store.read(Optional.empty()).records())
                .extracting(f -> f.content().error(), f -> f.content().attempt())
                .containsExactlyInAnyOrder(tuple("a", 1), tuple("b", 1), tuple("b/", 1), tuple("b:", 1));
    }

    @Test
    void aKilledGateStaysStartedAndARerunIsTheNextAttempt() {
        store.start(GATE, "Chat");
        store("run-1", NOON).start(GATE, "Chat").broken("again");

        assertThat(store.read(Optional.empty()).records())
                .extracting(f -> f.content().attempt(), f -> f.content().state())
                .containsExactly(tuple(1, State.STARTED), tuple(2, State.ENDED));
    }

    @Test
    void planningAgainChangesNothingUntilTheGateHasRun() {
        store.plan(GATE, "Chat");
        store.plan(GATE, "Chat");
        assertThat(only().attempt()).isEqualTo(1);

        store.start(GATE, "Chat").broken("first");
        store.plan(GATE, "Chat");
        store.start(GATE, "Chat").broken("second");

        assertThat(store.read(Optional.empty()).records())
                .extracting(f -> f.content().attempt(), f -> f.content().error())
                .containsExactly(tuple(1, "first"), tuple(2, "second"));
    }

    @Test
    void aNewRunStartsAtAttemptOneBesideTheOldRun() {
        store.start(GATE, "Chat").broken("old");
        RecordStore later = store("run-2", NOON.plusSeconds(1));
        later.start(GATE, "Chat").broken("new");

        assertThat(later.read(Optional.empty()).records())
                .extracting(f -> f.content().run(), f -> f.content().attempt())
                .containsExactlyInAnyOrder(tuple("run-1", 1), tuple("run-2", 1));
        Records newest = store.read(Optional.of("run-2"));
        assertThat(newest.run()).hasValue("run-2");
        assertThat(newest.records()).extracting(f -> f.content().error()).containsExactly("new");
        assertThat(newest.leftOut()).isEqualTo(new Records.LeftOut(1, new TreeSet<>(Set.of(GATE))));
    }

    @Test
    void damagedFilesCostOnlyThemselves() throws IOException {
        store.start(GATE, "Chat").broken("whole");
        Path whole = store.read(Optional.empty()).records().get(0).path();
        byte[] json = Files.readAllBytes(whole);
        Files.write(folder.resolve("a-broken-off.json"), java.util.Arrays.copyOf(json, json.length / 2));
        Files.createFile(folder.resolve("b-empty.json"));
        Files.writeString(folder.resolve("c-null.json"), "null");
        Files.writeString(folder.resolve("d-other.json"), "{\"some\": \"thing\"}");
        Files.writeString(
                folder.resolve("e-schema.json"),
                Files.readString(whole).replace(GateRecord.SCHEMA, "latency-budget/record/9"));
        Files.writeString(folder.resolve("not-a-record.txt"), "x");

        Records newest = store.read(Optional.empty());

        assertThat(newest.records()).extracting(RecordFile::path).containsExactly(whole);
        assertThat(newest.unreadable())
                .extracting(u -> u.path().getFileName().toString())
                .containsExactly("a-broken-off.json", "b-empty.json", "c-null.json", "d-other.json", "e-schema.json");
        assertThat(newest.unreadable())
                .extracting(Records.Unreadable::problem)
                .satisfiesExactly(
                        p -> assertThat(p).startsWith("not a whole record: "),
                        p -> assertThat(p).startsWith("empty: "),
                        p -> assertThat(p)
                                .isEqualTo(
                                        "its schema is null, not latency-budget/record/2: read it with the version that has written it"),
                        p -> assertThat(p).startsWith("its schema is null"),
                        p -> assertThat(p)
                                .isEqualTo(
                                        "its schema is latency-budget/record/9, not latency-budget/record/2: read it with the version that has written it"));
        assertThat(store.read(Optional.empty()).records()).hasSize(1);
    }

    @Test
    void aRecordWhoseNumbersContradictOneAnotherIsDamaged() throws IOException {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.measured(Measurements.full());
        Files.writeString(
                attempt.path(),
                Files.readString(attempt.path()).replace("\"temperature\" : 0.7", "\"temperature\" : -1"));

        Records newest = store.read(Optional.empty());

        assertThat(newest.records()).isEmpty();
        assertThat(newest.unreadable())
                .singleElement()
                .satisfies(u -> assertThat(u.problem()).contains("temperature = -1.0"));
    }

    @Test
    void aDamagedAttemptIsNotWrittenOver() throws IOException {
        Path first = store.start(GATE, "Chat").path();
        Files.writeString(first, "{");

        store.start(GATE, "Chat").broken("second");

        assertThat(Files.readString(first)).isEqualTo("{");
        assertThat(only().attempt()).isEqualTo(2);
    }

    @Test
    void oddAndLongNamesGiveDistinctFiles() throws IOException {
        String longName = "com.example." + "Very".repeat(100) + "LongTest";
        List<GateId> gates = List.of(
                GATE,
                new GateId("org.example.ChatSlaTest", "holds(Measurement)"),
                new GateId("com.example.ChatSlaTest", "holds(Verdicts)"),
                new GateId("com.example.ChatSlaTest$Nested", "holds(Measurement)"),
                new GateId("com.example.ChatSlaTest$Nested$Deeper", "holds(Measurement)"),
                new GateId("com.example.ChatSlaTest_Nested", "holds(Measurement)"),
                new GateId("com.example.SlaTest", "../../etc: *?\"<>|\n()"),
                new GateId("com.example.SlaTest", "größer als 5 ms \u00fc\u4e2d()"),
                new GateId("com.example.SlaTest", "größer als 5 ms \u00fc\u4e2e()"),
                new GateId(longName, "holds()"),
                new GateId(longName + "2", "holds()"),
                new GateId("NoPackageTest", "m".repeat(5_000) + "()"));

        gates.forEach(g -> store.start(g, "x").broken(g.toString()));

        assertThat(store.read(Optional.empty()).records())
                .extracting(f -> f.content().gate())
                .containsExactlyInAnyOrderElementsOf(gates);
        assertThat(store.read(Optional.empty()).records())
                .allSatisfy(f -> assertThat(f.content().error())
                        .isEqualTo(f.content().gate().toString()));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files)
                    .filteredOn(f -> !f.endsWith(Origin.FILE))
                    .hasSize(gates.size())
                    .allSatisfy(f -> assertThat(f.getFileName().toString())
                            .matches(
                                    "run-1\\.[0-9a-f]{8}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+-[0-9a-f]{8}\\.attempt-1\\.json")
                            .hasSizeLessThan(255));
        }
    }

    private RecordStore store(String run, Instant now) {
        return new RecordStore(folder, run, Clock.fixed(now, ZoneOffset.UTC));
    }

    private GateRecord only() {
        List<RecordFile> all = store.read(Optional.empty()).records();
        assertThat(all).hasSize(1);
        return all.get(0).content();
    }
}
