package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that somebody else has put into the folder, or has changed there. */
@Timeout(60)
class ReadingTest {

    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds()");
    private static final Measurement RUN =
            Traces.run(3, 300 * Traces.MS, 20 * Traces.MS).measurement();

    @TempDir
    Path folder;

    Path file;
    String written;

    @BeforeEach
    void judge() throws IOException {
        RecordStore.Attempt attempt = store().start(GATE, "Chat", 5);
        attempt.measured(RUN);
        attempt.judged(
                Measurements.budget(),
                Measurements.budget().evaluate(RUN),
                new TestEnding(TestEnding.Status.PASSED, null));
        file = attempt.path();
        written = Files.readString(file);
    }

    @Test
    void aRecordThatNobodyHasChangedIsRead() {
        assertThat(store().read(Optional.empty()).records()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"attempt\" : 1,|\"attempt\" : 1, \"attempt\" : 2,|not a whole record: Duplicate field 'attempt'",
                "\"status\" : \"PASSED\"|\"status\" : \"FAILED\", \"status\" : \"PASSED\"|not a whole record: Duplicate field 'status'",
                "\"attempt\" : 1,|\"attempt\" : 1, \"note\" : null,|not a whole record: Unrecognized field \"note\"",
                "\"conditions\"|\"condition\"|not a whole record: ",
                "\"attempt\" : 1,||not a whole record: Missing creator property 'attempt'",
                "\"attempt\" : 1,|\"attempt\" : 1.5,|not a whole record: ",
                "\"attempt\" : 1,|\"attempt\" : \"1\",|not a whole record: ",
                "\"attempt\" : 1,|\"attempt\" : null,|not a whole record: ",
                "\"attempt\" : 1,|\"attempt\" : 99999999999,|not a whole record: ",
                "\"attempt\" : 1,|\"attempt\" : 1e999999999,|not a whole record: ",
                "\"attempt\" : 1,|\"attempt\" : 0,|it contradicts itself: attempt = 0: must be at least 1",
                "\"state\" : \"ENDED\"|\"state\" : 3|not a whole record: ",
                "\"state\" : \"ENDED\"|\"state\" : null|not a whole record: it has no state",
                "\"waitedNanos\" : 5|\"waitedNanos\" : -5|it contradicts itself: waitedNanos = -5: must not be negative",
                "\"outcome\" : \"COMPLETED\"|\"outcome\" : \"FAILED\"|it contradicts itself: a request that is FAILED needs a reason",
                "\"startNanos\" : 1000000000|\"startNanos\" : 9223372036854775807|it contradicts itself: long overflow",
                "\"type\" : \"LatencyRule\"|\"type\" : \"NoRule\"|not a whole record: ",
                "\"minShare\" : 0.9|\"minShare\" : 7|it contradicts itself: minShare = 7.0",
            })
    void whatNobodyHasWrittenIsRefused(String from, String to, String problem) throws IOException {
        if (!written.contains(from)) {
            // Of the values in the table, each but this one is somewhere in the file.
            assertThat(from).isEqualTo("\"conditions\"");
            from = "\"confidence\"";
            to = "\"confidences\"";
        }
        Files.writeString(file, written.replace(from, to == null ? "" : to));

        assertThat(problem()).startsWith(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SKIPPED|a gate that is SKIPPED has not a time at which it started",
                "NOT_APPLICABLE|a gate that is NOT_APPLICABLE has to have a reason for which it was left out",
                "STARTED|a gate that is STARTED has not a time at which it ended",
                "PLANNED|a gate that is PLANNED has not a time at which it started",
                "REFUSED|a gate that is REFUSED has to have an error",
                "INTERRUPTED|a gate that is INTERRUPTED has not a judgement"
            })
    void aStateThatIsAnothersIsRefused(State state, String problem) throws IOException {
        Files.writeString(file, written.replace("\"state\" : \"ENDED\"", "\"state\" : \"" + state + "\""));

        assertThat(problem()).isEqualTo("it contradicts itself: " + problem);
    }

    @ParameterizedTest
    @CsvSource({
        "judgement,a gate that is ENDED has to have an error",
        "measurement,a gate that is ENDED has to have a measurement to judge",
        "budget,a gate that is ENDED has to have a budget to judge by",
        "test,a gate that is ENDED has to have an ending of the test",
    })
    void aPartThatIsGoneIsMissed(String part, String problem) throws IOException {
        ObjectNode json = (ObjectNode) Json.MAPPER.readTree(written);
        ((ObjectNode) json.get("result")).putNull(part);
        Files.writeString(file, json.toString());

        assertThat(problem()).isEqualTo("it contradicts itself: " + problem);
    }

    @Test
    void nothingMayStandBehindARecord() throws IOException {
        Files.writeString(file, written + "{}");

        assertThat(problem()).startsWith("not a whole record: Trailing token");
    }

    @Test
    void whatIsNestedWithoutAnEndIsRefused() throws IOException {
        Files.writeString(
                file, written.replace("\"displayName\" : \"Chat\"", "\"displayName\" : " + "[".repeat(5_000_000)));

        assertThat(problem()).startsWith("not a whole record: ").contains("nesting depth");
    }

    @Test
    void aNumberWithoutAnEndIsRefused() throws IOException {
        Files.writeString(file, written.replace("\"attempt\" : 1", "\"attempt\" : " + "9".repeat(5_000_000)));

        assertThat(problem()).startsWith("not a whole record: ");
    }

    @Test
    void aFileThatIsTooLongIsNotRead() throws IOException {
        try (RandomAccessFile longer = new RandomAccessFile(file.toFile(), "rw")) {
            longer.setLength(BoundedFile.MOST_BYTES + 1L);
        }

        assertThat(problem())
                .isEqualTo(
                        "cannot be read: it has more than 268435456 bytes, and a file that this product writes has fewer: remove it from the folder");
    }

    @Test
    void ofAFileThatGrowsNoMoreIsReadThanWasExpected() throws IOException {
        assertThatThrownBy(() -> BoundedFile.read(file, 10))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("it has more than 10 bytes");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aPipeIsNotWaitedFor() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();

        assertThat(problem())
                .isEqualTo("cannot be read: a pipe or a device, not a plain file: put the file itself in its place");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aLinkIsNotFollowed() throws IOException {
        Path elsewhere = Files.move(file, folder.resolve("elsewhere.txt"));
        Files.createSymbolicLink(file, elsewhere);

        assertThat(problem())
                .isEqualTo("cannot be read: a symbolic link, not a plain file: put the file itself in its place");
    }

    @Test
    void aFolderIsNoRecord() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);

        assertThat(problem()).isEqualTo("cannot be read: a folder, not a plain file: put the file itself in its place");
    }

    /** As many as fit into a file, and far more than fit into memory. */
    @Test
    void stepsOfMoreRequestsThanThereCanBeAreRefused() throws IOException {
        String many = "0-99999,".repeat(20_000) + "1";
        Files.writeString(
                file,
                written.replace(
                        "\"steps\" : null",
                        "\"steps\" : {\"kinds\":\"D\",\"startNanos\":[1],\"durationNanos\":[1],\"deviceNanos\":null,\"requests\":[\""
                                + many + "\"]}"));

        assertThat(problem()).startsWith("it contradicts itself: requests: ");
    }

    private String problem() {
        Records records = store().read(Optional.empty());
        assertThat(records.records()).isEmpty();
        assertThat(records.unreadable()).hasSize(1);
        return records.unreadable().get(0).problem();
    }

    private RecordStore store() {
        return new RecordStore(folder, "run-1", Clock.systemUTC());
    }

    /** An ending cannot be found again from the raw times, but it has two parts. */
    @Test
    void aTestThatPassedHasThrownNothing() throws IOException {
        RecordStore.Attempt attempt = store().start(new GateId("com.example.ChatSlaTest", "fails()"), "Fails");
        attempt.measured(RUN);
        attempt.judged(
                Measurements.budget(),
                Measurements.budget().evaluate(RUN),
                new TestEnding(TestEnding.Status.FAILED, "java.lang.AssertionError"));
        Files.writeString(attempt.path(), Files.readString(attempt.path()).replace("\"FAILED\"", "\"PASSED\""));

        assertThat(store().read(Optional.empty()).unreadable())
                .singleElement()
                .satisfies(u -> assertThat(u.problem()).startsWith("it contradicts itself"));
    }
}
