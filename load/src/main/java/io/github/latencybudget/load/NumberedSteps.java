package io.github.latencybudget.load;

import io.github.latencybudget.trace.EngineStep;
import java.util.List;

/** What an engine did, with the requests by their numbers within the run and not by those of their prompts. */
final class NumberedSteps {

    private NumberedSteps() {}

    /** @param firstPrompt that of the first request of the run */
    static List<EngineStep> of(List<EngineStep> steps, long firstPrompt) {
        return steps.stream()
                .map(s -> new EngineStep(
                        s.kind(),
                        s.startNanos(),
                        s.endNanos(),
                        s.deviceNanos(),
                        s.requests().stream().map(r -> (int) (r - firstPrompt)).toList()))
                .toList();
    }
}
