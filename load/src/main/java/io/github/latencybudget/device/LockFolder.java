package io.github.latencybudget.device;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;

/** Where the files are that JVMs lock. Who else can write there could hold up every gate, or have it write through a link. */
record LockFolder(Path path) {

    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /**
     * Makes the folder where there is none.
     *
     * @throws IOException where that is impossible
     * @throws DeviceLockException where there is one that others can reach into
     */
    void prepare() throws IOException, DeviceLockException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            create();
        }
        if (Files.isSymbolicLink(path)) {
            throw refusal("is a symbolic link: delete it");
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw refusal("is no folder: delete it");
        }
        if (isPosix()) {
            PosixFileAttributes attributes =
                    Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            requireOwn(attributes.owner());
            if (!Collections.disjoint(attributes.permissions(), OTHERS_WRITE)) {
                throw refusal(String.format(
                        Locale.ROOT,
                        "can be written by others than its owner (%s): take that away with chmod 700",
                        PosixFilePermissions.toString(attributes.permissions())));
            }
        }
    }

    private void create() throws IOException {
        Files.createDirectories(path.toAbsolutePath().getParent());
        try {
            Files.createDirectory(
                    path,
                    isPosix()
                            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWN)}
                            : new FileAttribute<?>[0]);
        } catch (FileAlreadyExistsException e) {
            // Another JVM was first.
        }
    }

    private boolean isPosix() {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** A user's name may be unknown, as in a container, or set by hand; what a process makes is its user's in any case. */
    private void requireOwn(UserPrincipal owner) throws IOException, DeviceLockException {
        if (owner.getName().equals(System.getProperty("user.name"))) {
            return;
        }
        try {
            Path made = Files.createTempFile(path, "owner", null);
            UserPrincipal self = Files.getOwner(made);
            Files.delete(made);
            if (self.equals(owner)) {
                return;
            }
        } catch (AccessDeniedException e) {
            // As it should be with the folder of another.
        }
        throw refusal("belongs to another user, " + owner.getName() + ": delete it");
    }

    private DeviceLockException refusal(String problem) {
        return new DeviceLockException(String.format(
                Locale.ROOT,
                "the folder of the device locks, %s, %s, or name another with latencybudget.device.locks",
                path,
                problem));
    }

    /**
     * Opens the file that is locked for a device.
     *
     * @throws DeviceLockException where it is a symbolic link
     */
    FileChannel open(String key) throws IOException, DeviceLockException {
        Path file = path.resolve(name(key) + ".lock");
        if (Files.isSymbolicLink(file)) {
            throw new DeviceLockException(
                    String.format(Locale.ROOT, "the device lock %s is a symbolic link: delete it", file));
        }
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * {@return where the holder of a lock says who it is} Not in the locked file: Windows lets nobody else read that, and elsewhere
     * a JVM that closes it after reading gives up its own lock on it.
     */
    Path note(String key) {
        return path.resolve(name(key) + ".holder");
    }

    private static String name(String key) {
        return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("*", "%2A");
    }
}
