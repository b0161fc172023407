package io.github.latencybudget.policy;

import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * A policy file and what it is called.
 *
 * @param location a resource's name; or a file's path with slashes, from {@code ./} on where it lies below the working directory:
 *     the same from run to run
 * @param url where to read it
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicySource(String location, URL url) {

    private static final String HERE = "./";

    /** Far more than any policy needs, and too little to take long. */
    private static final int MOST_BYTES = 1 << 18;

    /** {@return the source of a resource on the class path; empty where there is none} */
    public static Optional<PolicySource> resource(String name, ClassLoader loader) {
        return Optional.ofNullable(loader.getResource(name)).map(url -> new PolicySource(name, url));
    }

    /** {@return the source of a file} */
    public static PolicySource file(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        Path here = Path.of("").toAbsolutePath();
        String named = absolute.startsWith(here) ? HERE + here.relativize(absolute) : absolute.toString();
        try {
            return new PolicySource(named.replace('\\', '/'), absolute.toUri().toURL());
        } catch (IOException e) {
            throw new PolicyException(
                    String.format(Locale.ROOT, "%s is no file that can be read: name another", named));
        }
    }

    /** {@return the source that a location names; empty where there is none} */
    public static Optional<PolicySource> find(String location, ClassLoader loader) {
        return isFile(location)
                ? Optional.of(Path.of(location)).filter(Files::isRegularFile).map(PolicySource::file)
                : resource(location, loader);
    }

    /** {@return whether a location is that of a file, not of a resource} */
    public static boolean isFile(String location) {
        if (location.startsWith(HERE)) {
            return true;
        }
        try {
            return Path.of(location).isAbsolute();
        } catch (InvalidPathException e) {
            // A resource may have characters that this machine's names of files cannot have.
            return false;
        }
    }

    /** @throws PolicyException where the class path has several resources of this name, of which one would hide the others */
    public void requireOne(ClassLoader loader) {
        if (isFile(location)) {
            return;
        }
        try {
            long found = Collections.list(loader.getResources(location)).stream()
                    .map(URL::toString)
                    .distinct()
                    .count();
            if (found > 1) {
                throw new PolicyException(String.format(
                        Locale.ROOT,
                        "there are %d of %s on the class path, and only one would be run: keep one, or give each a name of its own as META-INF/latency-budget/<name>.yaml",
                        found,
                        location));
            }
        } catch (IOException e) {
            throw new PolicyException(String.format(
                    Locale.ROOT, "the class path cannot be searched for %s (%s)", location, e.getMessage()));
        }
    }

    /** {@return the location as messages say it} */
    String path() {
        return location.startsWith(HERE) ? location.substring(HERE.length()) : location;
    }

    /** {@return the file's name without its end} */
    public String baseName() {
        return location.replaceFirst(".*/", "").replaceFirst("(\\.latency-budget)?\\.ya?ml$", "");
    }

    /** @throws PolicyException where it cannot be read, is too large or is no UTF-8 */
    String text() {
        byte[] bytes;
        try {
            URLConnection connection = url.openConnection();
            // A jar that stays open in a cache cannot be replaced, and gives what was in it before.
            connection.setUseCaches(false);
            try (InputStream in = connection.getInputStream()) {
                bytes = in.readNBytes(MOST_BYTES + 1);
            }
        } catch (IOException e) {
            throw new PolicyException(String.format(
                    Locale.ROOT,
                    "%s cannot be read (%s)%s",
                    path(),
                    e.getMessage(),
                    IoFault.because(e, "make it readable")));
        }
        if (bytes.length > MOST_BYTES) {
            throw new PolicyException(String.format(
                    Locale.ROOT,
                    "%s has more than %d KiB: a policy is short; split it, or name another file",
                    path(),
                    MOST_BYTES >> 10));
        }
        try {
            return Utf8.text(bytes);
        } catch (Utf8.Fault e) {
            throw new PolicyException(String.format(Locale.ROOT, "%s %s: save it as UTF-8", path(), e.getMessage()));
        }
    }
}
