package io.github.latencybudget.junit;

import io.github.latencybudget.device.DeviceLock;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Makes the locks of gates, as a run is configured. */
final class DeviceLocks {

    private static final String FOLDER = "latencybudget.device.locks";
    private static final String WAIT = "latencybudget.device.wait-seconds";

    /** The names of what configures them. */
    static final List<String> KEYS = List.of(FOLDER, WAIT);

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
    private static final Duration DEFAULT_WAIT = Duration.ofMinutes(15);
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9._-]");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    // What cannot be written cannot be written for any gate of this JVM.
    private static final Set<Path> SAID_UNLOCKED = ConcurrentHashMap.newKeySet();

    private DeviceLocks() {}

    /**
     * {@return the lock of a gate}
     *
     * @param where the gate in the log, its own and that of others who wait for it
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that is not allowed
     */
    static DeviceLock of(Settings settings, String where) {
        Path folder = folder(settings);
        return new DeviceLock(
                folder,
                longest(settings),
                where,
                () -> TIME.format(Clock.systemUTC().instant()),
                line -> Console.say(where + ": " + line),
                e -> unlocked(folder, e));
    }

    private static void unlocked(Path folder, IOException e) {
        UncheckedIOException unwritable = IoFault.unwritable("a device lock into", folder, e);
        if (IoFault.of(e).filter(fault -> fault == IoFault.TOO_MANY_FILES).isPresent()) {
            // Nothing can be measured then, and to go on unlocked would disturb whoever measures.
            throw unwritable;
        }
        if (SAID_UNLOCKED.add(folder)) {
            Console.say("measurements of other JVMs are not waited for: "
                    + IoFault.unwritable(unwritable, "name another folder with " + FOLDER));
        }
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that is not allowed */
    static void refuseWrong(Settings settings) {
        folder(settings);
        longest(settings);
    }

    private static Path folder(Settings settings) {
        Optional<String> folder = get(settings, FOLDER);
        try {
            return folder.map(Path::of).orElseGet(DeviceLocks::ofThisUser);
        } catch (InvalidPathException e) {
            throw ConfigurationErrors.setting(FOLDER, folder.orElseThrow(), "it is a folder");
        }
    }

    private static Path ofThisUser() {
        String user = System.getProperty("user.name", "user");
        return Path.of(
                System.getProperty("java.io.tmpdir"),
                "latency-budget-" + NOT_IN_NAMES.matcher(user).replaceAll("_"));
    }

    /** {@return how long a gate waits for its device} */
    static Duration longest(Settings settings) {
        Optional<String> seconds = get(settings, WAIT);
        seconds.filter(s -> !SECONDS.matcher(s).matches()).ifPresent(s -> {
            throw ConfigurationErrors.setting(
                    WAIT, s, "it is a whole number of seconds from 0, which is not to wait, to 999999999");
        });
        return seconds.map(Long::parseLong).map(Duration::ofSeconds).orElse(DEFAULT_WAIT);
    }

    private static Optional<String> get(Settings settings, String key) {
        return settings.parameters().apply(key).map(String::strip).filter(v -> !v.isEmpty());
    }
}
