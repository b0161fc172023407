package io.github.latencybudget.record;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The folder of record files. Every write replaces a file as a whole, so that a reader never sees half a record, and every
 * attempt has a file of its own, so that no JVM writes over what another has measured.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class RecordStore {

    private final RecordFolder folder;
    private final Clock clock;

    /**
     * @param folder where the files are; made when the first is written
     * @param run which run of the build new records belong to
     * @param clock the wall clock, for the times of day in the records only
     */
    public RecordStore(Path folder, String run, Clock clock) {
        this.folder = new RecordFolder(folder, run, clock);
        this.clock = clock;
    }

    /** {@return where the files are} */
    public Path folder() {
        return folder.path();
    }

    /** {@return which run of the build new records belong to} */
    public String run() {
        return folder.run();
    }

    /**
     * Writes which gates this JVM is to run in a test plan.
     *
     * @param selection which tests were asked for; null where none were left out
     * @param gates the gates of the plan
     * @param expected the gates that a manifest asks for; null where there is no manifest
     * @return the plan, to be {@link #finished}
     * @throws UncheckedIOException where the file cannot be written
     */
    public PlanFile planned(@Nullable String selection, List<PlannedGate> gates, @Nullable List<PlannedGate> expected) {
        Source source = folder.source();
        long pid = ProcessHandle.current().pid();
        PlanRecord plan = new PlanRecord(
                PlanRecord.SCHEMA,
                source,
                pid,
                Path.of("").toAbsolutePath().toString(),
                clock.instant(),
                null,
                selection,
                gates,
                expected);
        // Of machines that began with a copy of one folder, records may replace one another, and the plans tell that
        // they did.
        int drawn = ThreadLocalRandom.current().nextInt();
        RecordFolder.Claimed claimed = folder.claim(number -> RecordName.ofPlan(source, pid, number, drawn));
        return new PlanFile(claimed.path(), plan).write();
    }

    /**
     * Writes that a test plan came to its end.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public PlanFile finished(PlanFile plan) {
        return new PlanFile(plan.path(), plan.content().finishedAt(clock.instant())).write();
    }

    /**
     * Writes that a gate is part of the run. Where it was run before in this run, this plans its next attempt.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void plan(GateId gate, String displayName) {
        if (folder.latest(gate).filter(RecordFile::isPlanned).isEmpty()) {
            folder.claim(gate, displayName, UnaryOperator.identity());
        }
    }

    /** As {@link #start(GateId, String, long)}, where the gate has not waited. */
    public Attempt start(GateId gate, String displayName) {
        return start(gate, displayName, 0);
    }

    /**
     * Writes that the measurement of a gate has started.
     *
     * @param waitedNanos how long it has waited for its device, in nanoseconds
     * @return the attempt, to end it by
     * @throws UncheckedIOException where the file cannot be written
     */
    public Attempt start(GateId gate, String displayName, long waitedNanos) {
        return new Attempt(
                folder.take(gate, displayName, planned -> planned.started(clock.instant(), waitedNanos)), clock);
    }

    /**
     * Writes that a gate was not run.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void skip(GateId gate, String displayName, String reason) {
        folder.take(gate, displayName, planned -> planned.skipped(clock.instant(), reason));
    }

    /**
     * Writes that the configuration of a gate was refused, so that nothing is measured.
     *
     * @param reason what is wrong with it, in words
     * @throws UncheckedIOException where the file cannot be written
     */
    public void refuse(GateId gate, String displayName, String reason) {
        folder.take(gate, displayName, planned -> planned.refused(clock.instant(), reason));
    }

    /**
     * As {@link #refuse(GateId, String, String)}, for a gate whose turn has not come. Does nothing where it is not planned, or has
     * started.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void refuse(GateId gate, String reason) {
        folder.latest(gate).flatMap(f -> f.take(planned -> planned.refused(clock.instant(), reason)));
    }

    /**
     * Writes that a test failed after the verdicts of its gates, by another extension or by what runs after each test. Does nothing
     * where one of the records says already that its gate or test did not pass.
     *
     * @param gates those of the test
     * @param exception the class of what was thrown; null where nothing was
     * @throws UncheckedIOException where a file cannot be written
     */
    public void failAfterVerdict(List<GateId> gates, @Nullable String exception) {
        List<RecordFile> files =
                gates.stream().flatMap(gate -> folder.latest(gate).stream()).toList();
        if (files.stream().allMatch(f -> f.content().passes())) {
            files.forEach(f -> f.write(f.content().failedAfterVerdict(exception)));
        }
    }

    /**
     * Writes that the test of a gate failed before its measurement started. Does nothing where the gate is not planned, or has
     * started.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void failBeforeStart(GateId gate, String reason) {
        folder.latest(gate).flatMap(f -> f.take(planned -> planned.broken(clock.instant(), reason, Optional.empty())));
    }

    /**
     * As {@link #failBeforeStart}, for a test that was aborted by an assumption: it was left out, as one that is disabled.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void abortBeforeStart(GateId gate, String reason) {
        folder.latest(gate).flatMap(f -> f.take(planned -> planned.skipped(clock.instant(), reason)));
    }

    /**
     * Reads the records and plans in the folder. A damaged file costs only itself, and is named.
     *
     * @param run the run to read; empty for all that are there
     * @throws UncheckedIOException where the folder cannot be read
     */
    public Records read(Optional<String> run) {
        return new FolderReader(folder.path()).read(run);
    }

    /** One attempt of a gate that has started. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public static final class Attempt {

        private final Clock clock;
        private RecordFile file;

        private Attempt(RecordFile file, Clock clock) {
            this.file = file;
            this.clock = clock;
        }

        /** {@return the record's file} */
        public synchronized Path path() {
            return file.path();
        }

        /** Writes what was measured, before anything else can go wrong. */
        public synchronized void measured(Measurement measurement) {
            write(file.content().measured(MeasurementEntry.of(measurement)));
        }

        /** Writes what was shown by which budget, and how the test's own body ended. */
        public synchronized void judged(Budget budget, Verdicts verdicts, GateRecord.TestEnding ending) {
            write(file.content().judged(clock.instant(), BudgetEntry.of(budget), JudgementEntry.of(verdicts), ending));
        }

        /**
         * Keeps how the run compares with its baseline, for the next write.
         *
         * @param baseline empty where the run has or should have become the baseline itself
         */
        public synchronized void compared(ComparisonEntry comparison, Optional<Baseline> baseline) {
            MeasurementEntry with = baseline.map(
                            b -> MeasurementEntry.of(b.measurement()).withoutSteps())
                    .orElse(null);
            keep(file.content().compared(comparison, with));
        }

        /** Keeps which of several targets the gate is about, for the next write. */
        public synchronized void beside(SideEntry side) {
            keep(file.content().beside(side));
        }

        /** Writes the steps of a sweep, of which one decides, and the budget that each is judged by. */
        public synchronized void swept(SweepEntry sweep, Measurement deciding, Budget budget) {
            write(file.content().swept(sweep, MeasurementEntry.of(deciding), BudgetEntry.of(budget)));
        }

        /** Writes that the measurement could not be made; what was written of it stays. */
        public synchronized void broken(String message) {
            write(file.content().broken(clock.instant(), message, Optional.empty()));
        }

        /** Writes that it could not be made to its end, with what was measured until then: of a sweep, that of the step that broke. */
        public synchronized void broken(String message, Measurement soFar) {
            write(file.content().broken(clock.instant(), message, Optional.of(MeasurementEntry.of(soFar))));
        }

        /** Writes that the configuration was refused once the target was looked at, so that nothing is measured. */
        public synchronized void refused(String reason) {
            write(file.content().refused(clock.instant(), reason));
        }

        /** Writes that nothing is measured, because the limits hold for another device. */
        public synchronized void notApplicable(String reason) {
            write(file.content().notApplicable(clock.instant(), reason));
        }

        /**
         * Writes that a signal stopped the gate, with what was measured until then: of a sweep, that of the step that was stopped.
         * May be called from another thread. Does nothing where the attempt has ended; afterwards nothing else is written.
         */
        public synchronized void interrupted(Measurement soFar) {
            interrupted(Optional.of(MeasurementEntry.of(soFar)));
        }

        /** As {@link #interrupted(Measurement)}, where nothing more was measured than what is written. */
        public synchronized void interrupted() {
            interrupted(Optional.empty());
        }

        private void interrupted(Optional<MeasurementEntry> soFar) {
            if (file.content().state() == GateRecord.State.STARTED) {
                write(file.content().interrupted(clock.instant(), soFar));
            }
        }

        /** What cannot be written now is part of the next write. */
        private void write(GateRecord content) {
            if (keep(content)) {
                file.write(content);
            }
        }

        private boolean keep(GateRecord content) {
            boolean isInterrupted = file.content().state() == GateRecord.State.INTERRUPTED;
            if (!isInterrupted) {
                file = new RecordFile(file.path(), content);
            }
            return !isInterrupted;
        }
    }

    /**
     * A plan and its file.
     *
     * @param path the file
     * @param content what it holds
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record PlanFile(Path path, PlanRecord content) {

        private PlanFile write() {
            WholeFile.write("the record", path, WholeFile.beside(path), Json.bytes(content));
            return this;
        }
    }

    /**
     * A record and its file.
     *
     * @param path the file
     * @param content what it holds
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record RecordFile(Path path, GateRecord content) {

        boolean isPlanned() {
            return content.state() == GateRecord.State.PLANNED;
        }

        /** Empty where the attempt has started already, or another thread or JVM is about to start it. */
        Optional<RecordFile> take(UnaryOperator<GateRecord> change) {
            if (!isPlanned()) {
                return Optional.empty();
            }
            try {
                Files.createFile(WholeFile.beside(path));
                boolean isStillPlanned = Reading.of(path, GateRecord.class)
                        .record()
                        .filter(r -> r.state() == GateRecord.State.PLANNED)
                        .isPresent();
                if (!isStillPlanned) {
                    Files.delete(WholeFile.beside(path));
                    return Optional.empty();
                }
            } catch (FileAlreadyExistsException e) {
                return Optional.empty();
            } catch (IOException e) {
                throw IoFault.unwritable("the record", path, e);
            }
            return Optional.of(write(change.apply(content)));
        }

        RecordFile write(GateRecord content) {
            WholeFile.write("the record", path, WholeFile.beside(path), Json.bytes(content));
            return new RecordFile(path, content);
        }
    }
}
