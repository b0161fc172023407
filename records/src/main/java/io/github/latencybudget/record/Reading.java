package io.github.latencybudget.record;

import com.fasterxml.jackson.core.JacksonException;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * What became of reading a file.
 *
 * @param record what it holds; empty where that cannot be read
 * @param problem why not, in words; empty where it can
 */
record Reading<T>(Optional<T> record, Optional<String> problem) {

    /** What tells records apart, so that those of other runs are not kept in memory with all their times. */
    record Head(String schema, Source source, GateId gate) {

        Head {
            Objects.requireNonNull(source, "source");
            Objects.requireNonNull(gate, "gate");
        }
    }

    static <T> Reading<T> of(Path file, Class<T> type) {
        try {
            return of(BoundedFile.read(file, BoundedFile.MOST_BYTES), type);
        } catch (IOException | RuntimeException e) {
            return problem("cannot be read: " + OneLine.of(String.valueOf(e.getMessage())));
        }
    }

    private static <T> Reading<T> of(byte[] bytes, Class<T> type) {
        if (bytes.length == 0) {
            return problem("empty: it is being written, or its process was killed before it could be");
        }
        try {
            String expected = type == PlanRecord.class ? PlanRecord.SCHEMA : GateRecord.SCHEMA;
            String schema = Json.schema(bytes);
            if (!expected.equals(schema)) {
                return problem(String.format(
                        Locale.ROOT,
                        "its schema is %s, not %s: read it with the version that has written it",
                        schema,
                        expected));
            }
            T record = type == Head.class ? Json.part(bytes, type) : Json.MAPPER.readValue(bytes, type);
            requireSense(record);
            return new Reading<>(Optional.of(record), Optional.empty());
        } catch (IOException e) {
            if (!(e instanceof JacksonException json)) {
                throw new UncheckedIOException(e);
            }
            // What the constructors of the model refuse is said by them, and not by the place in the file.
            if (e.getCause() instanceof IllegalArgumentException || e.getCause() instanceof NullPointerException) {
                return contradiction(e.getCause());
            }
            return problem(String.format(
                    Locale.ROOT,
                    "not a whole record: %s (line %d)",
                    OneLine.of(json.getOriginalMessage()),
                    json.getLocation() == null ? 0 : json.getLocation().getLineNr()));
        } catch (IllegalArgumentException | NullPointerException | ArithmeticException e) {
            return contradiction(e);
        }
    }

    private static <T> Reading<T> contradiction(Throwable e) {
        String message = OneLine.of(String.valueOf(e.getMessage()));
        return problem(
                e instanceof NullPointerException
                        ? "not a whole record: it has no " + message
                        : "it contradicts itself: " + message);
    }

    private static <T> Reading<T> problem(String problem) {
        return new Reading<>(Optional.empty(), Optional.of(problem));
    }

    /** A record whose numbers contradict one another is as damaged as one that breaks off. */
    private static void requireSense(Object record) {
        if (!(record instanceof GateRecord gate) || gate.measurement() == null) {
            return;
        }
        Measurement own = gate.measurement().toMeasurement();
        if (gate.sweep() != null) {
            gate.sweep().toSweep(own);
            if (gate.sweep().unfinished() != null) {
                gate.sweep().unfinished().toMeasurement();
            }
        }
        if (gate.budget() != null) {
            gate.budget().toBudget();
        }
        if (gate.result().baseline() != null) {
            gate.result().baseline().toMeasurement();
        }
    }
}
