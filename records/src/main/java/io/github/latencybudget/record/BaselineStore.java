package io.github.latencybudget.record;

import com.fasterxml.jackson.core.JacksonException;
import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.apiguardian.api.API;

/**
 * The folder of baselines, one JSON file each, meant to be kept under version control beside the tests. A file is replaced as a
 * whole, so that a reader never sees half of one.
 *
 * @param folder where the files are; made when the first is written
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record BaselineStore(Path folder) {

    /** The name and version of the format. */
    public static final String SCHEMA = "latency-budget/baseline/1";

    private static final String SUFFIX = ".json";

    /** What a file holds. The steps of the engine are left out: nothing is compared by them, and they are most of a record. */
    private record Entry(String schema, String name, Instant stored, MeasurementEntry measurement) {

        private Entry {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(stored, "stored");
            Objects.requireNonNull(measurement, "measurement");
        }

        private static Entry of(Baseline baseline) {
            return new Entry(
                    SCHEMA,
                    baseline.name(),
                    baseline.stored(),
                    MeasurementEntry.of(baseline.measurement()).withoutSteps());
        }

        private Baseline toBaseline() {
            return new Baseline(name, stored, measurement.toMeasurement());
        }
    }

    /**
     * {@return the file of a baseline, whether there is one or not}
     *
     * @throws IllegalArgumentException for what is no name of a baseline
     */
    public Path file(String name) {
        if (!Baseline.isName(name)) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "%s is no name of a baseline", name));
        }
        return folder.resolve(name + SUFFIX);
    }

    /**
     * Writes a baseline, in the place of an older one of its name.
     *
     * @return its file
     * @throws UncheckedIOException where it cannot be written
     */
    public Path write(Baseline baseline) {
        Path file = file(baseline.name());
        write(baseline, file);
        return file;
    }

    /**
     * Writes a baseline into a file of its own.
     *
     * @throws UncheckedIOException where it cannot be written
     */
    public static void write(Baseline baseline, Path file) {
        Path absolute = file.toAbsolutePath();
        try {
            Files.createDirectories(absolute.getParent());
        } catch (IOException e) {
            throw IoFault.unwritable("the baseline", file, e);
        }
        Path beside = absolute.resolveSibling(String.format(
                Locale.ROOT,
                "%s.%d-%d.writing",
                file.getFileName(),
                ProcessHandle.current().pid(),
                Thread.currentThread().getId()));
        WholeFile.write("the baseline", absolute, beside, Json.bytes(Entry.of(baseline)));
    }

    /**
     * Reads a baseline.
     *
     * @throws UnusableBaselineException where there is none of the name, or its file cannot be used
     */
    public Baseline read(String name) {
        Path file = file(name);
        Baseline baseline = read(file);
        if (!baseline.name().equals(name)) {
            throw new UnusableBaselineException(String.format(
                    Locale.ROOT,
                    "the baseline in %s is called %s: give the file its name, or store it anew",
                    file,
                    baseline.name()));
        }
        return baseline;
    }

    /**
     * Reads a baseline from a file of its own.
     *
     * @throws UnusableBaselineException where there is no such file, or it cannot be used
     */
    public static Baseline read(Path file) {
        if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new UnusableBaselineException(String.format(
                    Locale.ROOT,
                    "there is no baseline in %s: store one on purpose, by a run with latencybudget.baseline.update = true or from a record, and keep its file under version control",
                    file));
        }
        try {
            byte[] bytes = BoundedFile.read(file, BoundedFile.MOST_BYTES);
            String schema = Json.schema(bytes);
            if (!SCHEMA.equals(schema)) {
                throw new UnusableBaselineException(String.format(
                        Locale.ROOT,
                        "the schema of the baseline in %s is %s, not %s: store it anew with this version, or use the version that has written it",
                        file,
                        schema,
                        SCHEMA));
            }
            return Json.MAPPER.readValue(bytes, Entry.class).toBaseline();
        } catch (JacksonException e) {
            throw new UnusableBaselineException(
                    String.format(
                            Locale.ROOT,
                            "the baseline in %s is damaged: %s (line %d); restore its file from version control, or store it anew",
                            file,
                            e.getOriginalMessage(),
                            e.getLocation() == null ? 0 : e.getLocation().getLineNr()),
                    e);
        } catch (IOException e) {
            throw new UnusableBaselineException(
                    String.format(Locale.ROOT, "the baseline in %s cannot be read: %s", file, e.getMessage()), e);
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new UnusableBaselineException(
                    String.format(
                            Locale.ROOT,
                            "the baseline in %s contradicts itself: %s; restore its file from version control, or store it anew",
                            file,
                            e.getMessage()),
                    e);
        }
    }
}
