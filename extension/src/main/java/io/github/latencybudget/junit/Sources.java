package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Position;
import java.nio.file.Path;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClasspathResourceSource;
import org.junit.platform.engine.support.descriptor.FilePosition;
import org.junit.platform.engine.support.descriptor.FileSource;

/** Says where in a policy something stands, so that an IDE can go there. */
final class Sources {

    private static final String CLASS_PATH = "classpath:";

    private Sources() {}

    /** {@return the place, in the policy itself or in a ready one that it extends} */
    static TestSource of(String location, Position position) {
        return location.endsWith(position.file())
                ? of(location, position.line(), position.column())
                : of(CLASS_PATH + position.file(), position.line(), position.column());
    }

    static TestSource of(String location, int line, int column) {
        FilePosition position = FilePosition.from(line, column);
        return location.startsWith(CLASS_PATH)
                ? ClasspathResourceSource.from(location.substring(CLASS_PATH.length()), position)
                : FileSource.from(
                        Path.of(location.substring(location.indexOf(':') + 1)).toFile(), position);
    }
}
