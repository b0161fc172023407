package io.github.latencybudget.record;

import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a file as a whole, or not at all. */
final class WholeFile {

    private WholeFile() {}

    /** {@return what is written first, in the same folder} */
    static Path beside(Path path) {
        return path.resolveSibling(path.getFileName() + ".writing");
    }

    /**
     * Replaces a file. The channel of a thread that is interrupted closes itself, and the record of a run that was called off is to
     * be written even so.
     *
     * @param what it is, such as {@code the record}
     * @param beside what is written first, in the same folder
     * @throws UncheckedIOException where it cannot be written
     */
    static void write(String what, Path path, Path beside, byte[] content) {
        boolean isInterrupted = Thread.interrupted();
        try {
            Files.write(beside, content);
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            IoFault.discard(beside);
            throw IoFault.unwritable(what, path, e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
