package io.github.latencybudget.record;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;

/** Reads a file that somebody else may have put there: no more than is expected, and nothing that is not a plain file. */
final class BoundedFile {

    /** For a record or a baseline: one of a sweep over many loads is some tens of MiB. */
    static final int MOST_BYTES = 256 << 20;

    private BoundedFile() {}

    /**
     * {@return all of a file}
     *
     * @param mostBytes how long it may be
     * @throws IOException where there is none, it is longer, or it is no plain file; such a file is not opened, because to open a
     *     pipe is to wait for whoever writes into it
     */
    static byte[] read(Path file, int mostBytes) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new IOException(kind(attributes) + ", not a plain file: put the file itself in its place");
        }
        requireRoom(attributes.size(), mostBytes);
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(mostBytes + 1);
            requireRoom(bytes.length, mostBytes);
            return bytes;
        }
    }

    /** Asked twice, because a file may grow while it is read. */
    private static void requireRoom(long bytes, int mostBytes) throws IOException {
        if (bytes > mostBytes) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it has more than %d bytes, and a file that this product writes has fewer: remove it from the folder",
                    mostBytes));
        }
    }

    private static String kind(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return "a symbolic link";
        }
        return attributes.isDirectory() ? "a folder" : "a pipe or a device";
    }
}
