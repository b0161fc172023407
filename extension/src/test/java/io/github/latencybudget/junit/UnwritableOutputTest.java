package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a gate whose record or report cannot be written. */
class UnwritableOutputTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Gate {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    private Gates whereRecordsCannotBeWritten(String options) {
        return new Gates(output).with("latencybudget.options", "blockRecords=" + output.resolve("records") + options);
    }

    @Test
    void aBreachIsTheResultThoughItCannotBeRecorded() {
        Throwable failure = whereRecordsCannotBeWritten(",itlMs=20").failure(Gate.class);

        assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("BREACH  ITL P95");
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(
                        s -> assertThat(s)
                                .isInstanceOf(MeasurementException.class)
                                .hasMessageStartingWith("cannot write the record ")
                                .hasMessageEndingWith(
                                        ", because something else is in its place: move it away, or name another folder with latencybudget.output"));
    }

    @Test
    void aPassWithoutEvidenceIsNone() {
        assertThat(whereRecordsCannotBeWritten("").failure(Gate.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("cannot write the record ");
    }

    @Test
    void whatBrokeIsTheResultThoughItCannotBeRecorded() {
        assertThat(whereRecordsCannotBeWritten(",warmUpFails=the engine broke").failure(Gate.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining("the engine broke");
    }

    @Test
    void aReportThatCannotBeWrittenTakesNoResultAway() throws IOException {
        Files.createDirectories(output.resolve("index.html").resolve("in the way"));
        Gates gates = new Gates(output);

        gates.run(Gate.class).testEvents().assertStatistics(s -> s.succeeded(1));
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.judgement().status()).isEqualTo(Status.PASS));
    }

    @Test
    void aFolderThatCannotBeIsRefused() {
        new Gates(output)
                .with("latencybudget.output", "a\0b")
                .assertRefused(
                        Gate.class,
                        "`latencybudget.output` is not allowed (its value is not printed, because it may be a key); it is a path");
    }

    /** A run of hundreds of short gates would spend its time on the report: each time takes as long as there are records. */
    @Test
    void theReportIsLeftOutWhereItTakesTooMuchOfTheTime() {
        AtomicLong seconds = new AtomicLong();
        AtomicLong written = new AtomicLong();
        Function<String, Optional<String>> parameters = key -> {
            // Asked for where records and report are: it is being written, and takes a second.
            if (key.equals("latencybudget.run")) {
                written.incrementAndGet();
                seconds.incrementAndGet();
            }
            return new Gates(output).parameter(key);
        };
        Settings settings = new Settings(parameters, Set.of());
        PacedReport report = new PacedReport(() -> seconds.get() * 1_000_000_000);

        for (int gate = 0; gate < 300; gate++) {
            report.writeInPassing(settings);
        }
        assertThat(written).hasValue(3);

        seconds.addAndGet(1000);
        for (int gate = 0; gate < 300; gate++) {
            report.writeInPassing(settings);
        }
        assertThat(written)
                .as("a tenth of the time")
                .satisfies(w -> assertThat(w.get()).isBetween(90L, 120L));

        long before = written.get();
        assertThat(report.write(settings)).isPresent();
        assertThat(written).as("the last one is always written").hasValue(before + 1);
    }
}
