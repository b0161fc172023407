package io.github.latencybudget.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;

/**
 * Who has a device, as those are told who wait for it.
 *
 * @param process its id
 * @param container where that id means something; empty where the system does not say
 * @param since the time of day it got the device, for people
 * @param gate what it measures
 */
record LockHolder(long process, String container, String since, String gate) {

    private static final Path OWN_CONTAINER = Path.of("/proc/self/ns/pid");
    private static final int LINES = 4;

    static LockHolder here(String since, String gate) {
        return new LockHolder(ProcessHandle.current().pid(), ownContainer(), since, gate.replaceAll("\\p{Cntrl}", " "));
    }

    /** Containers that share a folder have the same ids for different processes. */
    private static String ownContainer() {
        try {
            return Files.readSymbolicLink(OWN_CONTAINER).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** {@return who has left a note; empty where there is none, and where it is of a process that has ended} */
    static Optional<LockHolder> read(Path note) {
        try {
            String[] lines = Files.readString(note).split("\n", LINES);
            return lines.length == LINES
                    ? Optional.of(new LockHolder(Long.parseLong(lines[0]), lines[1], lines[2], lines[3]))
                            .filter(LockHolder::mayRun)
                    : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    void leave(Path note) throws IOException {
        // Also where the disk is full, so that nobody reads the note of whoever was here before.
        Files.deleteIfExists(note);
        Files.write(
                note,
                (process + "\n" + container + "\n" + since + "\n" + gate).getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
    }

    private boolean mayRun() {
        return !container.equals(ownContainer())
                || ProcessHandle.of(process).filter(ProcessHandle::isAlive).isPresent();
    }

    boolean isThisJvm() {
        return process == ProcessHandle.current().pid() && container.equals(ownContainer());
    }

    /** {@return the words that follow "which"} */
    String words() {
        String who = isThisJvm()
                ? "this JVM"
                : "process " + process + (container.equals(ownContainer()) ? "" : " of another container");
        return String.format(Locale.ROOT, "%s has used since %s for %s", who, since, gate);
    }
}
