package io.github.latencybudget.record;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** The name of the file of one attempt, for people to find, and distinct where what they read is not. */
final class RecordName {

    static final String SUFFIX = ".json";
    private static final int MOST_CHARACTERS = 80;

    private RecordName() {}

    static String of(String run, GateId gate, int attempt) {
        CRC32 distinct = new CRC32();
        distinct.update(gate.toString().getBytes(StandardCharsets.UTF_8));
        String method = gate.methodName().replaceFirst("\\(.*", "");
        return String.format(
                Locale.ROOT,
                "%s.%s.%s-%08x.attempt-%d%s",
                safe(run),
                safe(gate.simpleClassName()),
                safe(method),
                distinct.getValue(),
                attempt,
                SUFFIX);
    }

    private static String safe(String text) {
        String safe = text.replaceAll("[^A-Za-z0-9_-]", "_");
        return safe.substring(0, Math.min(MOST_CHARACTERS, safe.length()));
    }

    /** {@return the files of records in a folder, in the order of their names; none where there is no folder} */
    static List<Path> filesIn(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the records in " + folder, e);
        }
    }
}
