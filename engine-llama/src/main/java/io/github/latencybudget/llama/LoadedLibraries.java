package io.github.latencybudget.llama;

import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The native libraries that this process has loaded, wherever DJL took them from. Linux only. */
final class LoadedLibraries {

    private LoadedLibraries() {}

    /**
     * {@return the file of a loaded library; empty where there is none}
     *
     * @param name a pattern of the file's name
     */
    static Optional<Path> find(String name) {
        Path maps = Path.of("/proc/self/maps");
        if (!Platform.isLinux() || !Files.isReadable(maps)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(maps)) {
            return lines.filter(line -> line.indexOf('/') >= 0)
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .filter(file -> file.getFileName() != null)
                    .filter(file -> file.getFileName().toString().matches(name))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
