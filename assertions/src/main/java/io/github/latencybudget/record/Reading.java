package io.github.latencybudget.record;

import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * What became of reading a file.
 *
 * @param record what it holds; empty where that cannot be read
 * @param problem why not, in words; empty where it can
 */
record Reading<T>(Optional<T> record, Optional<String> problem) {

    /** What tells records apart, so that those of older runs are not kept in memory with all their times. */
    record Head(String schema, String run, GateRecord.Times times) {

        Head {
            Objects.requireNonNull(run, "run");
            Objects.requireNonNull(times, "times");
        }
    }

    static <T> Reading<T> of(Path file, Class<T> type) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (bytes.length == 0) {
                return problem("empty: it is being written, or its process was killed before it could be");
            }
            T record = Json.MAPPER.readValue(bytes, type);
            String schema = schema(record);
            if (!GateRecord.SCHEMA.equals(schema)) {
                return problem(String.format(Locale.ROOT, "its schema is %s, not %s", schema, GateRecord.SCHEMA));
            }
            return new Reading<>(Optional.of(record), Optional.empty());
        } catch (JacksonException e) {
            return problem(String.format(
                    Locale.ROOT,
                    "not a whole record: %s (line %d)",
                    e.getOriginalMessage(),
                    e.getLocation() == null ? 0 : e.getLocation().getLineNr()));
        } catch (IOException | RuntimeException e) {
            return problem("cannot be read: " + e);
        }
    }

    private static <T> Reading<T> problem(String problem) {
        return new Reading<>(Optional.empty(), Optional.of(problem));
    }

    private static @Nullable String schema(@Nullable Object record) {
        if (record instanceof GateRecord gate) {
            if (gate.measurement() != null) {
                // A record whose numbers contradict one another is as damaged as one that breaks off.
                Measurement own = gate.measurement().toMeasurement();
                if (gate.sweep() != null) {
                    gate.sweep().toSweep(own);
                }
            }
            return gate.schema();
        }
        return record instanceof Head head ? head.schema() : null;
    }
}
