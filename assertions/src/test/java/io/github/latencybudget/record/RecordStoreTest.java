package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.RecordStore.RecordFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
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

        assertThat(nowhere.readAll()).isEmpty();
        assertThat(nowhere.newestRun()).isEqualTo(new RunRecords(null, List.of(), List.of(), 0));
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

        attempt.judged(Measurements.budget().evaluate(Measurements.full()), PASSED);

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

        attempt.judged(Measurements.budget().evaluate(Measurements.full()), PASSED);
        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().judgement())
                .isEqualTo(JudgementEntry.of(Measurements.budget().evaluate(Measurements.full())));
        assertThat(only().measurement()).isNotNull();
        assertThat(only().test()).isEqualTo(PASSED);
        assertThat(only().times()).isEqualTo(new GateRecord.Times(NOON, NOON, NOON));
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
    void aGateThatHasEndedIsNotInterrupted() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.broken("out of device memory");
        attempt.interrupted(Measurements.full());

        assertThat(only().state()).isEqualTo(State.ENDED);
        assertThat(only().measurement()).isNull();
    }

    @Test
    void aGateThatWasInterruptedStaysSo() {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.measured(Measurements.full());
        attempt.interrupted();
        attempt.judged(Measurements.budget().evaluate(Measurements.full()), PASSED);

        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        assertThat(only().times().ended()).isEqualTo(NOON);
        assertThat(only().judgement()).isNull();
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
    void aKilledGateStaysStartedAndARerunIsTheNextAttempt() {
        store.start(GATE, "Chat");
        store("run-1", NOON).start(GATE, "Chat").broken("again");

        assertThat(store.readAll())
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

        assertThat(store.readAll())
                .extracting(f -> f.content().attempt(), f -> f.content().error())
                .containsExactly(tuple(1, "first"), tuple(2, "second"));
    }

    @Test
    void aNewRunStartsAtAttemptOneBesideTheOldRun() {
        store.start(GATE, "Chat").broken("old");
        RecordStore later = store("run-2", NOON.plusSeconds(1));
        later.start(GATE, "Chat").broken("new");

        assertThat(later.readAll())
                .extracting(f -> f.content().run(), f -> f.content().attempt())
                .containsExactlyInAnyOrder(tuple("run-1", 1), tuple("run-2", 1));
        RunRecords newest = store.newestRun();
        assertThat(newest.run()).isEqualTo("run-2");
        assertThat(newest.records()).extracting(f -> f.content().error()).containsExactly("new");
        assertThat(newest.recordsOfOlderRuns()).isEqualTo(1);
    }

    @Test
    void theNewestRunIsTheOnePlannedLastWhateverItsName() {
        store("z", NOON).start(GATE, "Chat");
        store("a", NOON.plusSeconds(60)).start(GATE, "Chat");

        assertThat(store.newestRun().run()).isEqualTo("a");
    }

    @Test
    void damagedFilesCostOnlyThemselves() throws IOException {
        store.start(GATE, "Chat").broken("whole");
        Path whole = store.readAll().get(0).path();
        byte[] json = Files.readAllBytes(whole);
        Files.write(folder.resolve("a-broken-off.json"), java.util.Arrays.copyOf(json, json.length / 2));
        Files.createFile(folder.resolve("b-empty.json"));
        Files.writeString(folder.resolve("c-null.json"), "null");
        Files.writeString(folder.resolve("d-other.json"), "{\"some\": \"thing\"}");
        Files.writeString(
                folder.resolve("e-schema.json"),
                Files.readString(whole).replace(GateRecord.SCHEMA, "latency-budget/record/9"));
        Files.writeString(folder.resolve("not-a-record.txt"), "x");

        RunRecords newest = store.newestRun();

        assertThat(newest.records()).extracting(RecordFile::path).containsExactly(whole);
        assertThat(newest.unreadable())
                .extracting(u -> u.path().getFileName().toString())
                .containsExactly("a-broken-off.json", "b-empty.json", "c-null.json", "d-other.json", "e-schema.json");
        assertThat(newest.unreadable())
                .extracting(RunRecords.Unreadable::problem)
                .satisfiesExactly(
                        p -> assertThat(p).startsWith("not a whole record: "),
                        p -> assertThat(p).startsWith("empty: "),
                        p -> assertThat(p).isEqualTo("its schema is null, not latency-budget/record/1"),
                        p -> assertThat(p).startsWith("not a whole record: "),
                        p -> assertThat(p)
                                .isEqualTo("its schema is latency-budget/record/9, not latency-budget/record/1"));
        assertThat(store.readAll()).hasSize(1);
    }

    @Test
    void aRecordWhoseNumbersContradictOneAnotherIsDamaged() throws IOException {
        RecordStore.Attempt attempt = store.start(GATE, "Chat");
        attempt.measured(Measurements.full());
        Files.writeString(
                attempt.path(),
                Files.readString(attempt.path()).replace("\"temperature\" : 0.7", "\"temperature\" : -1"));

        RunRecords newest = store.newestRun();

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

        assertThat(store.readAll()).extracting(f -> f.content().gate()).containsExactlyInAnyOrderElementsOf(gates);
        assertThat(store.readAll())
                .allSatisfy(f -> assertThat(f.content().error())
                        .isEqualTo(f.content().gate().toString()));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files)
                    .hasSize(gates.size())
                    .allSatisfy(f -> assertThat(f.getFileName().toString())
                            .matches("run-1\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+-[0-9a-f]{8}\\.attempt-1\\.json")
                            .hasSizeLessThan(255));
        }
    }

    private RecordStore store(String run, Instant now) {
        return new RecordStore(folder, run, Clock.fixed(now, ZoneOffset.UTC));
    }

    private GateRecord only() {
        List<RecordFile> all = store.readAll();
        assertThat(all).hasSize(1);
        return all.get(0).content();
    }
}
