package io.github.latencybudget.trace;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/** Why a system refuses a file or a connection, as far as its user can do something about it. */
@API(status = API.Status.INTERNAL, since = "0.1")
public enum IoFault {
    /** No descriptor is left, for files and connections alike. */
    TOO_MANY_FILES(
            "this process has too many files and connections open",
            "raise its limit (`ulimit -n`), or have fewer requests in flight",
            "too many open files"),
    /** No block or no inode is left. */
    DISK_FULL("the disk is full", "free some space there", "no space left on device", "not enough space on the disk"),
    /** The disk has space, but not for this user. */
    QUOTA_USED("this user's disk quota is used up", "delete files, or ask for more", "quota exceeded"),
    /** Nobody can write there. */
    READ_ONLY("its file system is read-only", "mount it for writing", "read-only file system"),
    /** Of a part of the path, or of the whole. */
    NAME_TOO_LONG("its path is too long for the file system", "shorten it", "file name too long"),
    /** Another user could. */
    NOT_PERMITTED("this user has no permission", "change the permissions", "permission denied", "not permitted"),
    /** A folder where a file is to be, or the other way round. */
    IN_THE_WAY("something else is in its place", "move it away", "is a directory", "not a directory");

    /** A disk with less left takes no file of this product. */
    private static final long LEAST_BYTES = 4096;

    private static final int MOST_CAUSES = 20;

    private final String reason;
    private final String step;
    private final List<String> said;

    /** @param said parts of what systems say, in small letters */
    IoFault(String reason, String step, String... said) {
        this.reason = reason;
        this.step = step;
        this.said = List.of(said);
    }

    /** {@return the fault that something was thrown for; empty where it is another} */
    public static Optional<IoFault> of(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            Optional<IoFault> found = one(cause);
            if (found.isPresent()) {
                return found;
            }
        }
        return isOutOfDescriptors() ? Optional.of(TOO_MANY_FILES) : Optional.empty();
    }

    private static Optional<IoFault> one(Throwable thrown) {
        if (thrown instanceof AccessDeniedException) {
            return Optional.of(NOT_PERMITTED);
        }
        if (thrown instanceof FileAlreadyExistsException || thrown instanceof NotDirectoryException) {
            return Optional.of(IN_THE_WAY);
        }
        String message = thrown instanceof FileSystemException file ? file.getReason() : thrown.getMessage();
        String small = message == null ? "" : message.toLowerCase(Locale.ROOT);
        for (IoFault fault : values()) {
            if (fault.said.stream().anyMatch(small::contains)) {
                return Optional.of(fault);
            }
        }
        boolean isFull = thrown instanceof FileSystemException file && file.getFile() != null && isFull(file.getFile());
        return isFull ? Optional.of(DISK_FULL) : Optional.empty();
    }

    /** Systems speak the language of their users. How much is left is a number. */
    private static boolean isFull(String path) {
        File folder = new File(path).getAbsoluteFile();
        while (folder != null && !folder.exists()) {
            folder = folder.getParentFile();
        }
        return folder != null && folder.getTotalSpace() > 0 && folder.getUsableSpace() < LEAST_BYTES;
    }

    /** As {@link #isFull}: a file that is there cannot be opened. */
    private static boolean isOutOfDescriptors() {
        File modules = new File(System.getProperty("java.home"), "lib/modules");
        if (!modules.canRead()) {
            return false;
        }
        try {
            new FileInputStream(modules).close();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * {@return why, and what to do about it, to be added to what could not be done}
     *
     * @param otherwise what to do where it is no known fault
     */
    public static String because(Throwable thrown, String otherwise) {
        return of(thrown).map(fault -> fault.because() + ": " + fault.step).orElse(": " + otherwise);
    }

    private String because() {
        return ", because " + reason;
    }

    /**
     * {@return an exception that says what could not be written and where, to be worded by {@link #unwritable(UncheckedIOException,
     * String)}}
     *
     * @param what such as {@code the record}
     */
    public static UncheckedIOException unwritable(String what, Path path, IOException e) {
        IOException placed = e;
        if (!(e instanceof FileSystemException)) {
            // A write that fails does not say where.
            placed = new FileSystemException(path.toString(), null, e.getMessage());
            placed.addSuppressed(e);
        }
        return new UncheckedIOException("cannot write " + what + " " + path, placed);
    }

    /**
     * {@return what could not be written, why, and what to do about it}
     *
     * @param another how to write it elsewhere, such as {@code name another folder with latencybudget.output}
     */
    public static String unwritable(UncheckedIOException e, String another) {
        Optional<IoFault> fault = of(e);
        if (fault.isPresent()) {
            String or = fault.get() == TOO_MANY_FILES ? "" : ", or " + another;
            return e.getMessage() + fault.get().because() + ": " + fault.get().step + or;
        }
        return String.format(Locale.ROOT, "%s (%s): make the folder writable, or %s", e.getMessage(), said(e), another);
    }

    private static String said(UncheckedIOException e) {
        String reason = e.getCause() instanceof FileSystemException file
                ? file.getReason()
                : e.getCause().getMessage();
        return reason == null ? e.getCause().getClass().getSimpleName() : reason;
    }

    /** Removes a file that was written in part: on a full disk it would take the last of the space. */
    public static void discard(Path part) {
        try {
            if (Files.isRegularFile(part)) {
                Files.delete(part);
            }
        } catch (IOException e) {
            // It stays then, and the fault that it is part of is told.
        }
    }
}
