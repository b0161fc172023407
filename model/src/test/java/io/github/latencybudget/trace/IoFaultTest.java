package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IoFaultTest {

    private static final String ANOTHER = "name another folder";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "No space left on device | because the disk is full: free some space there, or name another folder",
                "There is not enough space on the disk | because the disk is full: free some space there, or name another folder",
                "Disk quota exceeded | because this user's disk quota is used up: delete files, or ask for more, or name another folder",
                "Read-only file system | because its file system is read-only: mount it for writing, or name another folder",
                "File name too long | because its path is too long for the file system: shorten it, or name another folder",
                "Operation not permitted | because this user has no permission: change the permissions, or name another folder",
                "Is a directory | because something else is in its place: move it away, or name another folder",
                "Too many open files | because this process has too many files and connections open: raise its limit (`ulimit -n`), or have fewer requests in flight",
                "Too many open files in system | because this process has too many files and connections open: raise its limit (`ulimit -n`), or have fewer requests in flight",
            })
    void whatASystemSaysBecomesAReasonAndAStep(String said, String because) {
        assertThat(words(new IOException(said))).isEqualTo("cannot write the record a.json, " + because);
        assertThat(words(new FileSystemException("a.json", null, said)))
                .isEqualTo("cannot write the record a.json, " + because);
    }

    @Test
    void whatItSaysByATypeAlone() {
        assertThat(words(new AccessDeniedException("a.json"))).contains("because this user has no permission");
        assertThat(words(new FileAlreadyExistsException("a"))).contains("because something else is in its place");
    }

    @Test
    void whatIsNotKnownIsSaidAsTheSystemSaysIt() {
        assertThat(words(new IOException("Input/output error")))
                .isEqualTo(
                        "cannot write the record a.json (Input/output error): make the folder writable, or name another folder");
        assertThat(words(new NoSuchFileException("a.json")))
                .isEqualTo(
                        "cannot write the record a.json (NoSuchFileException): make the folder writable, or name another folder");
        assertThat(IoFault.because(new IOException("Input/output error"), "look at it"))
                .isEqualTo(": look at it");
    }

    /** Of a name of a file, whatever words are in it. */
    @Test
    void aNameIsNoReason() {
        assertThat(IoFault.of(new NoSuchFileException("/no space left on device/too many open files")))
                .isEmpty();
    }

    @Test
    void aFaultIsFoundAmongTheCauses() {
        Throwable thrown = new IllegalStateException("wrapped", new IOException("socket: Too many open files"));

        assertThat(IoFault.of(thrown)).contains(IoFault.TOO_MANY_FILES);
    }

    @Test
    void aPartOfAFileIsRemovedAndAFolderIsNot() throws IOException {
        Path part = Files.writeString(folder.resolve("a.writing"), "{");

        IoFault.discard(part);
        IoFault.discard(folder);
        IoFault.discard(part);

        assertThat(part).doesNotExist();
        assertThat(folder).exists();
    }

    private static String words(IOException e) {
        UncheckedIOException unwritable = IoFault.unwritable("the record", Path.of("a.json"), e);
        return IoFault.unwritable(unwritable, ANOTHER);
    }
}
