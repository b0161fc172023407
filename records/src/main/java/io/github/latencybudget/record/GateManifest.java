package io.github.latencybudget.record;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * The gates that a module is expected to have: a file under version control, so that a gate or a rule that disappears is noticed.
 *
 * @param schema {@link #SCHEMA}
 * @param gates in the order of their ids, each once
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GateManifest(String schema, List<PlannedGate> gates) {

    /** The name and version of this format. */
    public static final String SCHEMA = "latency-budget/gates/1";

    private static final String WHAT = "the manifest of expected gates";
    private static final int MOST_BYTES = 16 << 20;
    private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");

    /**
     * @throws NullPointerException where a file leaves out what every manifest has
     * @throws IllegalArgumentException for another schema, and for a gate that is there twice
     */
    public GateManifest {
        Objects.requireNonNull(gates, "gates");
        if (!SCHEMA.equals(schema)) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "its schema is %s, not %s", schema, SCHEMA));
        }
        TreeMap<GateId, PlannedGate> byGate = new TreeMap<>();
        for (PlannedGate gate : gates) {
            // Both sides of a merge: the rules of one would be lost without a word.
            if (byGate.put(gate.gate(), gate) != null) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "the gate %s is there twice", gate.gate()));
            }
        }
        gates = List.copyOf(byGate.values());
    }

    /** {@return one of these gates; one that was planned several times, as by a rerun of a part, has the rules of each time} */
    public static GateManifest of(Collection<PlannedGate> gates) {
        TreeMap<GateId, PlannedGate> all = new TreeMap<>();
        gates.forEach(gate -> all.merge(gate.gate(), gate, PlannedGate::and));
        return new GateManifest(SCHEMA, List.copyOf(all.values()));
    }

    /** {@return this one with these gates in place of those of the same id} */
    public GateManifest with(Collection<PlannedGate> others) {
        TreeMap<GateId, PlannedGate> all = new TreeMap<>();
        gates.forEach(gate -> all.put(gate.gate(), gate));
        others.forEach(gate -> all.put(gate.gate(), gate));
        return of(all.values());
    }

    /**
     * {@return the manifest in a file; empty where there is no file}
     *
     * @throws IllegalArgumentException where it cannot be read; the message names the file and says what to do
     */
    public static Optional<GateManifest> read(Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            GateManifest manifest = Json.MAPPER.readValue(BoundedFile.read(file, MOST_BYTES), GateManifest.class);
            if (manifest == null) {
                throw new IOException("it holds nothing");
            }
            return Optional.of(manifest);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "the manifest of expected gates %s cannot be read (%s): restore it, or write it anew with latencybudget.gates.update = true",
                            file,
                            OneLine.of(
                                    e instanceof JacksonException json
                                            ? json.getOriginalMessage()
                                            : String.valueOf(e.getMessage()))),
                    e);
        }
    }

    /**
     * Writes the manifest, a line per rule, so that a review shows what changed.
     *
     * @throws UncheckedIOException where it cannot be written
     */
    public void write(Path file) {
        byte[] text = (Json.text(
                                Json.MAPPER.writer(new DefaultPrettyPrinter()
                                        .withObjectIndenter(LINES)
                                        .withArrayIndenter(LINES)),
                                this)
                        + "\n")
                .getBytes(StandardCharsets.UTF_8);
        try {
            if (file.toAbsolutePath().getParent() != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
            }
        } catch (IOException e) {
            throw IoFault.unwritable(WHAT, file, e);
        }
        WholeFile.write(WHAT, file, WholeFile.beside(file), text);
    }
}
