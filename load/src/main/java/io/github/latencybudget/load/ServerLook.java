package io.github.latencybudget.load;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.ServerMetrics;
import java.util.Optional;

/**
 * What a server says that it has counted until now.
 *
 * @param metrics its histograms; empty where none are read, or they could not be
 * @param unread why they could not be; empty where they could
 */
record ServerLook(Optional<ServerMetrics> metrics, Optional<String> unread) {

    static ServerLook at(TargetSession session) {
        try {
            return new ServerLook(session.serverMetrics(), Optional.empty());
        } catch (MeasurementException e) {
            return new ServerLook(Optional.empty(), Optional.of(OneLine.of(e.getMessage())));
        }
    }

    /** {@return nothing, and why, where it is asked and did not answer once the run was interrupted} */
    ServerLook unanswered() {
        return metrics.isEmpty()
                ? this
                : new ServerLook(
                        Optional.empty(), Optional.of("the server did not answer once the run was interrupted"));
    }

    /** {@return what was counted since an earlier look; nothing where one of the two could not be taken} */
    ServerLook since(ServerLook before) {
        return before.metrics().isPresent() && metrics.isPresent()
                ? new ServerLook(
                        Optional.of(metrics.get().since(before.metrics().get())), Optional.empty())
                : new ServerLook(Optional.empty(), before.unread().or(() -> unread));
    }
}
