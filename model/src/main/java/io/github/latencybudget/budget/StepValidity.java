package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What the engine's steps themselves show to be wrong with a run. */
final class StepValidity {

    private StepValidity() {}

    static Optional<String> contradiction(Measurement measurement) {
        Set<Integer> known =
                measurement.traces().stream().map(TokenTrace::request).collect(Collectors.toSet());
        List<EngineStep> steps = measurement.steps();
        for (int i = 0; i < steps.size(); i++) {
            EngineStep step = steps.get(i);
            Optional<Integer> unknown =
                    step.requests().stream().filter(r -> !known.contains(r)).findFirst();
            if (unknown.isPresent()) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        "the engine's step %s is invalid: it names request %s, which is none of the run's %s; check what the target's takeSteps() gives",
                        i,
                        unknown.get(),
                        known.size()));
            }
            // A difference, since nanoTime may run over the end of the long range within a run.
            if (i > 0 && step.startNanos() - steps.get(i - 1).endNanos() < 0) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        "the engine's step %s is invalid: it began %s before the one before it had ended; check the target's clock, and that takeSteps() gives the steps in their order",
                        i,
                        Quantity.of(Metric.E2E, steps.get(i - 1).endNanos() - step.startNanos())));
            }
        }
        return Optional.empty();
    }
}
