package io.github.latencybudget.load;

import io.github.latencybudget.inference.TargetSession;
import java.util.OptionalLong;

/** The most device memory that was in use at any look. A target's gauge does not expect several looks at a time. */
final class PeakMemory {

    private final TargetSession session;
    private volatile OptionalLong bytes = OptionalLong.empty();

    PeakMemory(TargetSession session) {
        this.session = session;
    }

    synchronized void look() {
        OptionalLong memory = session.deviceMemoryBytes();
        if (memory.isPresent()) {
            bytes = OptionalLong.of(Math.max(memory.getAsLong(), bytes.orElse(0)));
        }
    }

    /** {@return the most until now} Without waiting for a look, which may hang. */
    OptionalLong bytes() {
        return bytes;
    }
}
