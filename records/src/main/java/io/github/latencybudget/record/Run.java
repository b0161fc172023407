package io.github.latencybudget.record;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Names the run of the build that this JVM is part of, so that a gate which is run again counts as a further attempt, in
 * whichever fork, and so that a report does not mix two builds.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Run {

    private static final String MAVEN = "org.codehaus.plexus.classworlds.launcher.Launcher";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Run() {}

    /** {@return the time and process id of the Maven that started this JVM; of this JVM itself where none did} */
    public static String current() {
        ProcessHandle self = ProcessHandle.current();
        ProcessHandle run = Stream.iterate(
                        Optional.of(self), Optional::isPresent, p -> p.flatMap(ProcessHandle::parent))
                .flatMap(Optional::stream)
                .filter(p -> p.info().arguments().stream().flatMap(Stream::of).anyMatch(MAVEN::equals))
                .findFirst()
                .orElse(self);
        return TIME.format(run.info().startInstant().orElse(Instant.EPOCH)) + "-" + run.pid();
    }
}
