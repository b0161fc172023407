package io.github.latencybudget.record;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.ChangeStatus;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class BaselineStoreTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    Path parent;

    private BaselineStore store;

    @BeforeEach
    void makeStore() {
        store = new BaselineStore(parent.resolve("latency-baselines"));
    }

    @Test
    void whatIsReadComparesAsWhatWasWritten() throws IOException {
        Path file = store.write(new Baseline("chat", NOON, run()));

        Baseline read = store.read("chat");

        assertThat(file).isEqualTo(store.folder().resolve("chat.json"));
        assertThat(read.stored()).isEqualTo(NOON);
        assertThat(read.measurement().conditions()).isEqualTo(run().conditions());
        assertThat(read.measurement().peakDeviceMemoryBytes()).isEqualTo(run().peakDeviceMemoryBytes());
        assertThat(read.compare(run(), Tolerance.ofPercent(1)).status()).isEqualTo(ChangeStatus.SAME);
        assertThat(Files.list(store.folder())).containsExactly(file);
    }

    @Test
    void theStepsOfTheEngineAreLeftOut() throws IOException {
        Measurement run = Traces.run(3, 400 * MS, times(1, 20 * MS))
                .step(EngineStep.Kind.PREFILL, 0, 400 * MS, 0)
                .measurement();

        Path file = store.write(new Baseline("chat", NOON, run));

        assertThat(run.steps()).isNotEmpty();
        assertThat(store.read("chat").measurement().steps()).isEmpty();
        assertThat(Files.readString(file)).contains("\"steps\" : null");
    }

    @Test
    void aBaselineIsReplacedAsAWhole() {
        store.write(new Baseline("chat", NOON, run()));
        store.write(new Baseline("chat", NOON.plusSeconds(60), run()));

        assertThat(store.read("chat").stored()).isEqualTo(NOON.plusSeconds(60));
    }

    @Test
    void aBaselineThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> store.read("chat"))
                .isInstanceOf(UnusableBaselineException.class)
                .hasMessage(
                        "there is no baseline in %s: store one on purpose, by a run with latencybudget.baseline.update = true or from a record, and keep its file under version control",
                        store.folder().resolve("chat.json"));
    }

    @Test
    void aFileOfAnotherVersionIsRefused() throws IOException {
        change(text -> text.replace("latency-budget/baseline/1", "latency-budget/baseline/2"));

        assertThatThrownBy(() -> store.read("chat"))
                .isInstanceOf(UnusableBaselineException.class)
                .hasMessage(
                        "the schema of the baseline in %s is latency-budget/baseline/2, not latency-budget/baseline/1: store it anew with this version, or use the version that has written it",
                        store.folder().resolve("chat.json"));
    }

    @Test
    void aDamagedFileIsRefused() throws IOException {
        change(text -> text.substring(0, text.length() / 2));
        assertRefused("is damaged: ", "restore its file from version control, or store it anew");

        change(text -> text.replace("\"stored\"", "\"store\""));
        assertRefused("is damaged: ", "restore its file from version control, or store it anew");

        change(text -> "");
        assertRefused("is damaged: ", "restore its file from version control, or store it anew");
    }

    @Test
    void aBaselineWithOneKeyTwiceIsRefused() throws IOException {
        change(text -> text.replace("\"name\" : \"chat\"", "\"name\" : \"other\", \"name\" : \"chat\""));

        assertRefused("is damaged: Duplicate field", "");
    }

    @Test
    @Timeout(60)
    @DisabledOnOs(OS.WINDOWS)
    void aPipeIsNotWaitedFor() throws Exception {
        Files.createDirectories(store.folder());
        Path pipe = store.folder().resolve("chat.json");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertRefused("cannot be read: a pipe or a device, not a plain file", "");
    }

    @Test
    void aFileThatContradictsItselfIsRefused() throws IOException {
        change(text -> text.replaceAll("\"warm\" : true", "\"warm\" : false"));
        assertRefused("contradicts itself: this run cannot be the baseline chat: not warm at a prompt length", "");
    }

    @Test
    void aFileUnderAnotherNameIsRefused() throws IOException {
        Files.move(
                store.write(new Baseline("chat", NOON, run())), store.folder().resolve("other.json"));

        assertThatThrownBy(() -> store.read("other"))
                .isInstanceOf(UnusableBaselineException.class)
                .hasMessage(
                        "the baseline in %s is called chat: give the file its name, or store it anew",
                        store.folder().resolve("other.json"));
    }

    @Test
    void whatCannotBeWrittenSaysSo() throws IOException {
        Files.writeString(store.folder(), "in the way");

        assertThatThrownBy(() -> store.write(new Baseline("chat", NOON, run())))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("cannot write the baseline %s", store.folder().resolve("chat.json"));
    }

    @Test
    void aNameCannotLeaveTheFolder() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.read("../chat"))
                .withMessage("../chat is no name of a baseline");
    }

    private void assertRefused(String problem, String nextStep) {
        assertThatThrownBy(() -> store.read("chat"))
                .isInstanceOf(UnusableBaselineException.class)
                .hasMessageStartingWith("the baseline in %s %s", store.folder().resolve("chat.json"), problem)
                .hasMessageEndingWith(nextStep);
    }

    private void change(UnaryOperator<String> change) throws IOException {
        Path file = store.write(new Baseline("chat", NOON, run()));
        Files.writeString(file, change.apply(Files.readString(file)));
    }

    /** As an editor may save it. */
    @Test
    void aFileMayBeginWithAByteOrderMark() throws IOException {
        Path file = store.write(new Baseline("chat", NOON, run()));
        Files.writeString(file, "\uFEFF" + Files.readString(file));

        assertThat(store.read("chat").name()).isEqualTo("chat");
    }

    private static Measurement run() {
        return Traces.run(20, 400 * MS, times(3, 20 * MS)).measurement();
    }
}
