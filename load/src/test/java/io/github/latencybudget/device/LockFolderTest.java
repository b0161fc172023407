package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFolderTest {

    @TempDir
    Path temporary;

    private Path path;
    private LockFolder folder;

    @BeforeEach
    void name() {
        path = temporary.resolve("in").resolve("locks");
        folder = new LockFolder(path);
    }

    private static void assumePosix() {
        assumeTrue(
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
                "there are no POSIX permissions here");
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private void assertRefused(String problem) {
        assertThatThrownBy(folder::prepare)
                .isInstanceOf(DeviceLockException.class)
                .hasMessage("the folder of the device locks, " + path + ", " + problem
                        + ", or name another with latencybudget.device.locks");
    }

    @Test
    void itIsMadeForItsOwnerAlone() throws Exception {
        assumePosix();

        folder.prepare();
        folder.prepare();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
        assertThat(path).isEmptyDirectory();
    }

    @Test
    void oneThatOthersCanReadIsTaken() throws Exception {
        assumePosix();
        folder.prepare();
        mode(path, "rwxr-xr-x");

        folder.prepare();

        assertThat(path).isDirectory();
    }

    @Test
    void oneThatOthersCanWriteIsRefused() throws Exception {
        assumePosix();
        folder.prepare();

        for (String mode : List.of("rwxrwx---", "rwx----w-")) {
            mode(path, mode);
            assertRefused("can be written by others than its owner (" + mode + "): take that away with chmod 700");
        }
    }

    @Test
    void aLinkIsRefused() throws IOException {
        assumePosix();
        Files.createDirectories(path.getParent());
        Files.createSymbolicLink(path, Files.createDirectory(temporary.resolve("elsewhere")));

        assertRefused("is a symbolic link: delete it");
    }

    @Test
    void aLinkToNothingIsRefused() throws IOException {
        assumePosix();
        Files.createDirectories(path.getParent());
        Files.createSymbolicLink(path, temporary.resolve("nothing"));

        assertRefused("is a symbolic link: delete it");
    }

    @Test
    void aFileIsRefused() throws IOException {
        Files.createDirectories(path.getParent());
        Files.createFile(path);

        assertRefused("is no folder: delete it");
    }

    @Test
    void thatOfAnotherUserIsRefused() throws Exception {
        assumePosix();
        folder.prepare();
        boolean isRoot = Files.getAttribute(path, "unix:uid").equals(0);
        if (isRoot) {
            Files.setAttribute(path, "unix:uid", 12345);
        } else {
            path = Path.of("/var/tmp");
            folder = new LockFolder(path);
        }

        assertRefused("belongs to another user, " + (isRoot ? "12345" : "root") + ": delete it");
        if (isRoot) {
            assertThat(path).isEmptyDirectory();
        }
    }

    /** As in a container whose user has no name. */
    @Test
    void itsOwnerIsKnownWithoutTheUsersName() throws Exception {
        assumePosix();
        folder.prepare();
        String name = System.getProperty("user.name");
        System.setProperty("user.name", "?");
        try {
            folder.prepare();
        } finally {
            System.setProperty("user.name", name);
        }
        assertThat(path).isEmptyDirectory();
    }

    @Test
    void aLockThatIsALinkIsRefusedAndWhatItNamesStaysAsItIs() throws Exception {
        assumePosix();
        folder.prepare();
        Path file = path.resolve("cpu.lock");
        Files.createSymbolicLink(file, temporary.resolve("made by a link"));

        assertThatThrownBy(() -> folder.open("cpu"))
                .isInstanceOf(DeviceLockException.class)
                .hasMessage("the device lock " + file + " is a symbolic link: delete it");
        assertThat(temporary.resolve("made by a link")).doesNotExist();
    }

    @Test
    void differentDevicesHaveDifferentFiles() throws Exception {
        folder.prepare();

        for (String key : List.of("a.b:1", "a_b:1", "a-b:1", "a:b:1", "a*b:1", "../a:1")) {
            try (FileChannel channel = folder.open(key)) {
                assertThat(channel.isOpen()).isTrue();
            }
        }

        try (Stream<Path> files = Files.list(path)) {
            assertThat(files).hasSize(6);
        }
    }
}
