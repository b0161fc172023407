package io.github.latencybudget.record;

import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apiguardian.api.API;
import tools.jackson.core.JacksonException;

/**
 * The folder of record files. Every write replaces a file as a whole, so that a reader never sees half a record, and every
 * attempt has a file of its own, so that no JVM writes over what another has measured.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class RecordStore {

    private static final String SUFFIX = ".json";

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
        Optional<RecordFile> latest = latest(gate);
        if (latest.isEmpty() || latest.get().content().state() != GateRecord.State.PLANNED) {
            claim(gate, displayName, latest.map(f -> f.content().attempt()).orElse(0) + 1);
        }
    }

    /**
     * Writes that the measurement of a gate has started.
     *
     * @return the attempt, to end it by
     * @throws UncheckedIOException where the file cannot be written
     */
    public Attempt start(GateId gate, String displayName) {
        RecordFile planned = planned(gate, displayName);
        return new Attempt(planned.write(planned.content().started(clock.instant())));
    }

    /**
     * Writes that a gate was not run.
     *
     * @throws UncheckedIOException where the file cannot be written
     */
    public void skip(GateId gate, String displayName, String reason) {
        RecordFile planned = planned(gate, displayName);
        planned.write(planned.content().skipped(clock.instant(), reason));
    }

    /**
     * Reads every record in the folder, of all runs, in the order of their gates and attempts.
     *
     * @throws UncheckedIOException where the folder or a file cannot be read
     */
    public List<RecordFile> readAll() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().endsWith(SUFFIX))
                    .flatMap(f -> read(f).stream())
                    .sorted(Comparator.comparing((RecordFile f) -> f.content().gate())
                            .thenComparing(f -> f.content().attempt()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the records in " + folder, e);
        }
    }

    /** One attempt of a gate that has started. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public final class Attempt {

        private RecordFile file;

        private Attempt(RecordFile file) {
            this.file = file;
        }

        /** {@return the record's file} */
        public Path path() {
            return file.path();
        }

        /** Writes what was measured, before anything else can go wrong. */
        public void measured(Measurement measurement) {
            file = file.write(file.content().measured(MeasurementEntry.of(measurement)));
        }

        /** Writes what was shown, and how the test's own body ended. */
        public void judged(Verdicts verdicts, GateRecord.TestEnding ending) {
            file = file.write(file.content().judged(clock.instant(), JudgementEntry.of(verdicts), ending));
        }

        /** Writes that the measurement could not be made, or not to its end. */
        public void broken(String message) {
            file = file.write(file.content().broken(clock.instant(), message));
        }
    }

    private RecordFile planned(GateId gate, String displayName) {
        Optional<RecordFile> latest = latest(gate);
        return latest.filter(f -> f.content().state() == GateRecord.State.PLANNED)
                .orElseGet(() -> claim(
                        gate,
                        displayName,
                        latest.map(f -> f.content().attempt()).orElse(0) + 1));
    }

    private Optional<RecordFile> latest(GateId gate) {
        RecordFile latest = null;
        for (int attempt = 1; Files.exists(path(gate, attempt)); attempt++) {
            latest = read(path(gate, attempt)).orElse(latest);
        }
        return Optional.ofNullable(latest);
    }

    private RecordFile claim(GateId gate, String displayName, int firstAttempt) {
        try {
            Files.createDirectories(folder);
            for (int attempt = firstAttempt; ; attempt++) {
                Path path = path(gate, attempt);
                try {
                    Files.createFile(path);
                } catch (FileAlreadyExistsException e) {
                    continue;
                }
                GateRecord content = GateRecord.planned(run, gate, displayName, attempt, clock.instant());
                return new RecordFile(path, content).write(content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a record into " + folder, e);
        }
    }

    private Path path(GateId gate, int attempt) {
        CRC32 distinct = new CRC32();
        distinct.update(gate.toString().getBytes(StandardCharsets.UTF_8));
        String simpleClass = gate.className().substring(gate.className().lastIndexOf('.') + 1);
        String method = gate.methodName().replaceFirst("\\(.*", "");
        return folder.resolve("%s.%s.%s-%08x.attempt-%d%s"
                .formatted(
                        fileName(run), fileName(simpleClass), fileName(method), distinct.getValue(), attempt, SUFFIX));
    }

    private static String fileName(String text) {
        String safe = text.replaceAll("[^A-Za-z0-9_-]", "_");
        return safe.substring(0, Math.min(80, safe.length()));
    }

    /** Empty for a file that another JVM has just claimed and not yet written. */
    private static Optional<RecordFile> read(Path path) {
        try {
            if (Files.size(path) == 0) {
                return Optional.empty();
            }
            return Optional.of(new RecordFile(path, Json.MAPPER.readValue(Files.readAllBytes(path), GateRecord.class)));
        } catch (IOException | JacksonException e) {
            throw new UncheckedIOException(
                    "cannot read the record %s: %s; delete it to go on without it".formatted(path, e.getMessage()),
                    e instanceof IOException io ? io : new IOException(e));
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

        private RecordFile write(GateRecord content) {
            Path beside = path.resolveSibling(path.getFileName() + ".writing");
            try {
                Files.write(beside, Json.MAPPER.writeValueAsBytes(content));
                Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write the record " + path, e);
            }
            return new RecordFile(path, content);
        }
    }
}
