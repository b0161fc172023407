package io.github.latencybudget.llama;

import io.github.latencybudget.trace.EngineStep;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The steps of the engine until someone takes them. For the scheduler's thread. */
final class StepLog {

    private final List<EngineStep> open = new ArrayList<>();
    private final List<EngineStep> done = new ArrayList<>();

    /** A step ended; how long the device worked on it is told later. */
    void add(EngineStep.Kind kind, long startNanos, long endNanos, List<Integer> requests) {
        open.add(new EngineStep(kind, startNanos, endNanos, OptionalLong.empty(), requests));
    }

    /** @param deviceNanos how long the device worked on each step since the last call, in order; none where there is no device */
    void complete(long[] deviceNanos) {
        for (int i = 0; i < open.size(); i++) {
            EngineStep step = open.get(i);
            done.add(
                    i >= deviceNanos.length
                            ? step
                            : new EngineStep(
                                    step.kind(),
                                    step.startNanos(),
                                    step.endNanos(),
                                    OptionalLong.of(deviceNanos[i]),
                                    step.requests()));
        }
        open.clear();
    }

    /** {@return the completed steps since the last call} */
    List<EngineStep> take() {
        List<EngineStep> steps = List.copyOf(done);
        done.clear();
        return steps;
    }
}
