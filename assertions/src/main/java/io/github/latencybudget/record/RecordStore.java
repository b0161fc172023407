package io.github.latencybudget.record;

import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apiguardian.api.API;

/**
 * The folder of record files. Every write replaces a file as a whole, so that a reader never sees half a record, and every
 * attempt has a file of its own, so that no JVM writes over what another has measured.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class RecordStore {

    private static final Comparator<RecordFile> ORDER = Comparator.comparing(
                    (RecordFile f) -> f.content().gate())
            .thenComparing(f -> f.content().attempt());

    private final Path folder;
    private final String run;
    private final Clock clock;

    /**
     * @param folder where the files are; made when the first is written
     * @param run which run of the build new records belong to
     * @param clock the wall clock, for the times of day in the records only
     */
    public RecordStore(Path folder, String run, Clock clock) {
        this.folder = folder;
        this.run = run;
        this.clock = clock;
    }

    /** {@return where the files are} */
    public Path folder() {
        return folder;
    }

    /**
     * Writes that a gate is part of the run. Where it was run before in this run, this plans its next attempt.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void plan(GateId gate, String displayName) {
        if (latest(gate).filter(RecordFile::isPlanned).isEmpty()) {
            claim(gate, displayName, UnaryOperator.identity());
        }
    }

    /**
     * Writes that the measurement of a gate has started.
     *
     * @return the attempt, to end it by
     * @throws UncheckedIOException where the file cannot be written
     */
    public Attempt start(GateId gate, String displayName) {
        return new Attempt(take(gate, displayName, planned -> planned.started(clock.instant())));
    }

    /**
     * Writes that a gate was not run.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void skip(GateId gate, String displayName, String reason) {
        take(gate, displayName, planned -> planned.skipped(clock.instant(), reason));
    }

    /**
     * Writes that the test of a gate failed before its measurement started. Does nothing where the gate is not planned, or has
     * started.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void failBeforeStart(GateId gate, String reason) {
        latest(gate).flatMap(f -> f.take(planned -> planned.broken(clock.instant(), reason)));
    }

    /**
     * As {@link #failBeforeStart}, for a test that was aborted by an assumption: it was left out, as one that is disabled.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void abortBeforeStart(GateId gate, String reason) {
        latest(gate).flatMap(f -> f.take(planned -> planned.skipped(clock.instant(), reason)));
    }

    /**
     * Reads every record in the folder, of all runs, in the order of their gates and attempts. A file that cannot be read is
     * left out; {@link #newestRun()} names those.
     *
     * @throws UncheckedIOException where the folder cannot be read
     */
    public List<RecordFile> readAll() {
        return RecordName.filesIn(folder).stream()
                .flatMap(f -> Reading.of(f, GateRecord.class).record().stream().map(r -> new RecordFile(f, r)))
                .sorted(ORDER)
                .toList();
    }

    /**
     * Reads the records of the run that was planned last, and names the files that cannot be read. A damaged file costs only
     * itself.
     *
     * @throws UncheckedIOException where the folder cannot be read
     */
    public RunRecords newestRun() {
        Map<Path, Reading.Head> heads = new LinkedHashMap<>();
        List<RunRecords.Unreadable> unreadable = new ArrayList<>();
        for (Path file : RecordName.filesIn(folder)) {
            Reading<Reading.Head> head = Reading.of(file, Reading.Head.class);
            head.record().ifPresent(h -> heads.put(file, h));
            head.problem().ifPresent(p -> unreadable.add(new RunRecords.Unreadable(file, p)));
        }
        String newest = heads.values().stream()
                .max(Comparator.comparing((Reading.Head h) -> h.times().planned())
                        .thenComparing(Reading.Head::run))
                .map(Reading.Head::run)
                .orElse(null);
        List<RecordFile> records = new ArrayList<>();
        for (Map.Entry<Path, Reading.Head> head : heads.entrySet()) {
            if (head.getValue().run().equals(newest)) {
                Reading<GateRecord> whole = Reading.of(head.getKey(), GateRecord.class);
                whole.record().ifPresent(r -> records.add(new RecordFile(head.getKey(), r)));
                whole.problem().ifPresent(p -> unreadable.add(new RunRecords.Unreadable(head.getKey(), p)));
            }
        }
        records.sort(ORDER);
        int older = (int)
                heads.values().stream().filter(h -> !h.run().equals(newest)).count();
        return new RunRecords(newest, records, unreadable, older);
    }

    /** One attempt of a gate that has started. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public final class Attempt {

        private RecordFile file;

        private Attempt(RecordFile file) {
            this.file = file;
        }

        /** {@return the record's file} */
        public synchronized Path path() {
            return file.path();
        }

        /** Writes what was measured, before anything else can go wrong. */
        public synchronized void measured(Measurement measurement) {
            write(file.content().measured(MeasurementEntry.of(measurement)));
        }

        /** Writes what was shown, and how the test's own body ended. */
        public synchronized void judged(Verdicts verdicts, GateRecord.TestEnding ending) {
            write(file.content().judged(clock.instant(), JudgementEntry.of(verdicts), ending));
        }

        /** Keeps how the run compares with its baseline, for the next write. */
        public synchronized void compared(ComparisonEntry comparison) {
            keep(file.content().compared(comparison));
        }

        /** Keeps which of several targets the gate is about, for the next write. */
        public synchronized void beside(SideEntry side) {
            keep(file.content().beside(side));
        }

        /** Writes the steps of a sweep, of which one decides. */
        public synchronized void swept(SweepEntry sweep, Measurement deciding) {
            write(file.content().swept(sweep, MeasurementEntry.of(deciding)));
        }

        /** Writes that the measurement could not be made, or not to its end. */
        public synchronized void broken(String message) {
            write(file.content().broken(clock.instant(), message));
        }

        /**
         * Writes that the measurement could not be made to its end.
         *
         * @param soFar what was measured until then: of a sweep, that of the step that broke
         */
        public synchronized void broken(String message, Measurement soFar) {
            write(file.content().measuredUntil(MeasurementEntry.of(soFar)).broken(clock.instant(), message));
        }

        /** Writes that nothing is measured, for the limits hold for another device. */
        public synchronized void notApplicable(String reason) {
            write(file.content().notApplicable(clock.instant(), reason));
        }

        /**
         * Writes that a signal stopped the gate, with what was measured until then: of a sweep, that of the step that was stopped.
         * May be called from another thread. Does nothing where the attempt has ended; afterwards nothing else is written.
         */
        public synchronized void interrupted(Measurement soFar) {
            interrupted(file.content().measuredUntil(MeasurementEntry.of(soFar)));
        }

        /** As {@link #interrupted(Measurement)}, where nothing more was measured than what is written. */
        public synchronized void interrupted() {
            interrupted(file.content());
        }

        private void interrupted(GateRecord soFar) {
            if (file.content().state() == GateRecord.State.STARTED) {
                write(soFar.interrupted(clock.instant()));
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

    private RecordFile take(GateId gate, String displayName, UnaryOperator<GateRecord> change) {
        return latest(gate).flatMap(f -> f.take(change)).orElseGet(() -> claim(gate, displayName, change));
    }

    private Optional<RecordFile> latest(GateId gate) {
        Optional<RecordFile> latest = Optional.empty();
        for (int attempt = 1; Files.exists(path(gate, attempt)); attempt++) {
            Path path = path(gate, attempt);
            latest = Reading.of(path, GateRecord.class).record().map(r -> new RecordFile(path, r));
        }
        return latest;
    }

    /** The empty file keeps other JVMs off the attempt until it is written. */
    private RecordFile claim(GateId gate, String displayName, UnaryOperator<GateRecord> change) {
        try {
            Files.createDirectories(folder);
            for (int attempt = 1; ; attempt++) {
                Path path = path(gate, attempt);
                try {
                    Files.createFile(path);
                } catch (FileAlreadyExistsException e) {
                    continue;
                }
                GateRecord planned = GateRecord.planned(run, gate, displayName, attempt, clock.instant());
                return new RecordFile(path, planned).write(change.apply(planned));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a record into " + folder, e);
        }
    }

    private Path path(GateId gate, int attempt) {
        return folder.resolve(RecordName.of(run, gate, attempt));
    }

    /**
     * A record and its file.
     *
     * @param path the file
     * @param content what it holds
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record RecordFile(Path path, GateRecord content) {

        private boolean isPlanned() {
            return content.state() == GateRecord.State.PLANNED;
        }

        /** Empty where the attempt has started already, or another thread or JVM is about to start it. */
        private Optional<RecordFile> take(UnaryOperator<GateRecord> change) {
            if (!isPlanned()) {
                return Optional.empty();
            }
            try {
                Files.createFile(beside());
                boolean isStillPlanned = Reading.of(path, GateRecord.class)
                        .record()
                        .filter(r -> r.state() == GateRecord.State.PLANNED)
                        .isPresent();
                if (!isStillPlanned) {
                    Files.delete(beside());
                    return Optional.empty();
                }
            } catch (FileAlreadyExistsException e) {
                return Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write the record " + path, e);
            }
            return Optional.of(write(change.apply(content)));
        }

        private RecordFile write(GateRecord content) {
            WholeFile.write(path, beside(), Json.MAPPER.writeValueAsBytes(content));
            return new RecordFile(path, content);
        }

        private Path beside() {
            return path.resolveSibling(path.getFileName() + ".writing");
        }
    }
}
