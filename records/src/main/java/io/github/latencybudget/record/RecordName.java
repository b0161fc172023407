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

/** The names of the files of attempts and plans, for people to find, and distinct where what they read is not. */
final class RecordName {

    static final String SUFFIX = ".json";
    static final String PLAN_SUFFIX = ".plan.json";
    private static final int MOST_CHARACTERS = 60;

    private RecordName() {}

    static String of(Source source, GateId gate, int attempt) {
        String method = gate.methodName().replaceFirst("\\(.*", "");
        return String.format(
                Locale.ROOT,
                "%s.%s.%s.%s-%08x.attempt-%d%s",
                safe(source.run()),
                source.origin(),
                safe(gate.simpleClassName()),
                safe(method),
                distinct(source.run() + "\n" + gate),
                attempt,
                SUFFIX);
    }

    /** @param drawn by chance, so that no other plan has this name, on whichever machine */
    static String ofPlan(Source source, long pid, int number, int drawn) {
        return String.format(
                Locale.ROOT,
                "%s.%s.%d-%d-%08x-%08x%s",
                safe(source.run()),
                source.origin(),
                pid,
                number,
                distinct(source.run()),
                drawn,
                PLAN_SUFFIX);
    }

    static boolean isPlan(Path file) {
        return file.getFileName().toString().endsWith(PLAN_SUFFIX);
    }

    private static long distinct(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return crc.getValue();
    }

    private static String safe(String text) {
        String safe = text.replaceAll("[^A-Za-z0-9_-]", "_");
        return safe.substring(0, Math.min(MOST_CHARACTERS, safe.length()));
    }

    /**
     * {@return the files of records and plans in a folder, in the order of their names, and the folders in it, for a reader to refuse,
     * because it would pass over what is in them; none where there is no folder}
     */
    static List<Path> filesIn(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().endsWith(SUFFIX) || Files.isDirectory(f))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the records in " + folder, e);
        }
    }
}
