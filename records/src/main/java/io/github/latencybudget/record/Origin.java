package io.github.latencybudget.record;

import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What tells the records folders of two machines apart, so that their records never have the same names: random, and kept in the
 * folder, for all JVMs that write into it.
 */
final class Origin {

    static final String FILE = ".origin";
    private static final int DIGITS = 8;

    private Origin() {}

    /**
     * {@return the origin of a folder, which is made, with its origin, where there is none}
     *
     * @throws UncheckedIOException where the folder or its origin cannot be made
     */
    static String of(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            for (; ; ) {
                String origin = read(file);
                if (Source.isOrigin(origin)) {
                    return origin;
                }
                make(folder, file);
            }
        } catch (IOException e) {
            throw IoFault.unwritable("a record into", folder, e);
        }
    }

    /** {@return the origin in the file; empty where there is no file, or one that is no origin, which is removed} */
    private static String read(Path file) throws IOException {
        try {
            String origin = new String(BoundedFile.read(file, DIGITS), StandardCharsets.US_ASCII);
            if (Source.isOrigin(origin)) {
                return origin;
            }
            Files.deleteIfExists(file);
        } catch (NoSuchFileException e) {
            // Made by the caller.
        }
        return "";
    }

    /** By a link, which is there with its content or not at all, and which only one of several JVMs can make. */
    private static void make(Path folder, Path file) throws IOException {
        Files.createDirectories(folder);
        String origin =
                String.format(Locale.ROOT, "%08x", ThreadLocalRandom.current().nextInt());
        Path beside = Files.writeString(folder.resolve(FILE + "-" + origin), origin, StandardCharsets.US_ASCII);
        try {
            Files.createLink(file, beside);
        } catch (FileAlreadyExistsException e) {
            // Another JVM was first, and its origin holds.
        } catch (UnsupportedOperationException | IOException e) {
            moveUnlessThere(beside, file);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Where the file system has no links. */
    private static void moveUnlessThere(Path from, Path to) throws IOException {
        try {
            Files.move(from, to);
        } catch (FileAlreadyExistsException e) {
            // Another JVM was first here too.
        }
    }
}
