package io.github.latencybudget.junit;

import io.github.latencybudget.policy.PolicySource;
import io.github.latencybudget.policy.Position;
import java.nio.file.Path;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClasspathResourceSource;
import org.junit.platform.engine.support.descriptor.FilePosition;
import org.junit.platform.engine.support.descriptor.FileSource;

/** Says where in a policy something stands, so that an IDE can go there. */
final class Sources {

    private Sources() {}

    /** {@return the place, in the policy itself or in a ready one that it extends} */
    static TestSource of(String location, Position position) {
        return of(location.endsWith(position.file()) ? location : position.file(), position.line(), position.column());
    }

    static TestSource of(String location, int line, int column) {
        FilePosition position = FilePosition.from(line, column);
        return PolicySource.isFile(location)
                ? FileSource.from(Path.of(location).normalize().toFile(), position)
                : ClasspathResourceSource.from(location, position);
    }
}
