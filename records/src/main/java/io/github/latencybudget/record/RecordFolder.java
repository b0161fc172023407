package io.github.latencybudget.record;

import io.github.latencybudget.record.RecordStore.RecordFile;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * The names in a records folder, of which several JVMs take one each at the same time.
 *
 * @param path where the files are; made when the first is written
 * @param run which run of the build new records belong to
 */
record RecordFolder(Path path, String run, Clock clock) {

    /** A file that is still empty, and that nobody else will write. */
    record Claimed(Path path, int number) {}

    Source source() {
        return new Source(run, Origin.of(path), Product.VERSION);
    }

    /** {@return the attempt of a gate that was planned and has not started, changed; its next attempt where there is none} */
    RecordFile take(GateId gate, String displayName, UnaryOperator<GateRecord> change) {
        return latest(gate).flatMap(f -> f.take(change)).orElseGet(() -> claim(gate, displayName, change));
    }

    Optional<RecordFile> latest(GateId gate) {
        if (!Files.isDirectory(path)) {
            return Optional.empty();
        }
        Source source = source();
        Optional<RecordFile> latest = Optional.empty();
        for (int attempt = 1; Files.exists(file(source, gate, attempt)); attempt++) {
            Path file = file(source, gate, attempt);
            latest = Reading.of(file, GateRecord.class).record().map(r -> new RecordFile(file, r));
        }
        return latest;
    }

    RecordFile claim(GateId gate, String displayName, UnaryOperator<GateRecord> change) {
        Source source = source();
        Claimed claimed = claim(attempt -> RecordName.of(source, gate, attempt));
        GateRecord planned = GateRecord.planned(source, gate, displayName, claimed.number(), clock.instant());
        return new RecordFile(claimed.path(), planned).write(change.apply(planned));
    }

    /** The empty file keeps other JVMs off the name until it is written. */
    Claimed claim(IntFunction<String> name) {
        try {
            for (int number = 1; ; number++) {
                Path file = path.resolve(name.apply(number));
                try {
                    return new Claimed(Files.createFile(file), number);
                } catch (FileAlreadyExistsException e) {
                    continue;
                }
            }
        } catch (IOException e) {
            throw IoFault.unwritable("a record into", path, e);
        }
    }

    private Path file(Source source, GateId gate, int attempt) {
        return path.resolve(RecordName.of(source, gate, attempt));
    }
}
