package io.github.latencybudget.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/** This machine as Linux describes it under {@code /proc}; what another system does not say is absent. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Host {

    private static final Pattern MODEL = Pattern.compile("^model name\\s*:\\s*(.+)$");
    private static final Pattern RESIDENT = Pattern.compile("^VmRSS:\\s*(\\d+) kB$");
    private static final Pattern AVAILABLE = Pattern.compile("^MemAvailable:\\s*(\\d+) kB$");

    private Host() {}

    /** {@return the processor's name, or its architecture where the system does not name it} */
    public static String processorName() {
        return find(Path.of("/proc/cpuinfo"), MODEL).orElseGet(() -> System.getProperty("os.arch"));
    }

    /** {@return the memory of this process that is resident, in bytes} */
    public static OptionalLong residentBytes() {
        return kilobytes(Path.of("/proc/self/status"), RESIDENT);
    }

    /** {@return how many bytes can be allocated without swapping: of the machine, or of its container where that is less} */
    public static OptionalLong availableBytes() {
        OptionalLong machine = kilobytes(Path.of("/proc/meminfo"), AVAILABLE);
        OptionalLong limit = number(Path.of("/sys/fs/cgroup/memory.max"));
        OptionalLong used = number(Path.of("/sys/fs/cgroup/memory.current"));
        if (machine.isPresent() && limit.isPresent() && used.isPresent()) {
            return OptionalLong.of(Math.min(machine.getAsLong(), Math.max(0, limit.getAsLong() - used.getAsLong())));
        }
        return machine;
    }

    private static OptionalLong kilobytes(Path file, Pattern pattern) {
        Optional<String> value = find(file, pattern);
        return value.isPresent() ? OptionalLong.of(Long.parseLong(value.get()) * 1024) : OptionalLong.empty();
    }

    private static OptionalLong number(Path file) {
        Optional<String> value = find(file, Pattern.compile("^(\\d+)$"));
        return value.isPresent() ? OptionalLong.of(Long.parseLong(value.get())) : OptionalLong.empty();
    }

    private static Optional<String> find(Path file, Pattern pattern) {
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(pattern::matcher)
                    .filter(Matcher::find)
                    .map(m -> m.group(1).strip())
                    .findFirst();
        } catch (IOException | java.io.UncheckedIOException e) {
            return Optional.empty();
        }
    }
}
