package io.github.latencybudget.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * Tells this process from others among the ones that a driver lists. A driver may list processes by numbers that mean nothing here:
 * a container with a PID namespace of its own sees those of the host, or none at all.
 */
final class GpuProcesses {

    private static final int MOST_NAMED = 16;

    private final LongPredicate isOwn;
    private final LongFunction<Optional<String>> name;
    private final TreeMap<Long, String> others = new TreeMap<>();
    private int strangers;
    private boolean isListed;
    private boolean isEverRead;

    /**
     * @param isOwn whether a number is this process's, or that of one it has started
     * @param name the name of a process, without its arguments
     */
    GpuProcesses(LongPredicate isOwn, LongFunction<Optional<String>> name) {
        this.isOwn = isOwn;
        this.name = name;
    }

    static GpuProcesses besideThisOne() {
        return new GpuProcesses(GpuProcesses::isOfThisOne, GpuProcesses::nameOf);
    }

    void look(Optional<long[]> processIds) {
        if (processIds.isEmpty()) {
            return;
        }
        isEverRead = true;
        long[] ids = processIds.get();
        if (Arrays.stream(ids).anyMatch(id -> !others.containsKey(id) && isOwn.test(id))) {
            isListed = true;
            Arrays.stream(ids)
                    .filter(id -> !others.containsKey(id) && !isOwn.test(id))
                    .forEach(id -> others.put(id, name.apply(id).orElse("a process")));
        } else {
            // None of them is known here, and one of them may be this one.
            strangers = Math.max(strangers, ids.length);
        }
    }

    /** {@return each process beside this one, such as {@code python3 (pid 4711)}} */
    List<String> others() {
        if (isListed) {
            return Stream.concat(
                            others.entrySet().stream()
                                    .limit(MOST_NAMED)
                                    .map(e -> String.format(Locale.ROOT, "%s (pid %d)", e.getValue(), e.getKey())),
                            others.size() > MOST_NAMED
                                    ? Stream.of(String.format(Locale.ROOT, "%d more", others.size() - MOST_NAMED))
                                    : Stream.empty())
                    .toList();
        }
        return strangers > 1
                ? List.of(String.format(
                        Locale.ROOT,
                        "at least %d of %d that are listed by numbers of another PID namespace",
                        strangers - 1,
                        strangers))
                : List.of();
    }

    /** {@return why it cannot be told what other processes there were; empty where it can} */
    Optional<String> unread() {
        if (!isEverRead) {
            return Optional.of("the driver does not list the processes on this device");
        }
        if (isListed || strangers > 1) {
            return Optional.empty();
        }
        return Optional.of(
                strangers == 0
                        ? "the driver lists no process on the GPU, not even this one, as in a container with a PID namespace of its own; share the host's, such as with docker run --pid=host"
                        : "the driver lists one process on the GPU by a number that is not this one's, as in a container with a PID namespace of its own: it may be this one; share the host's, such as with docker run --pid=host");
    }

    private static boolean isOfThisOne(long id) {
        long own = ProcessHandle.current().pid();
        return Stream.iterate(
                        ProcessHandle.of(id), Optional::isPresent, p -> p.get().parent())
                .anyMatch(p -> p.get().pid() == own);
    }

    private static Optional<String> nameOf(long id) {
        try {
            return Optional.of(Files.readString(Path.of("/proc", Long.toString(id), "comm"))
                    .strip());
        } catch (IOException e) {
            return ProcessHandle.of(id)
                    .flatMap(p -> p.info().command())
                    .map(command -> Path.of(command).getFileName().toString());
        }
    }
}
