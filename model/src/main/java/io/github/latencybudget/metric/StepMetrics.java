package io.github.latencybudget.metric;

import io.github.latencybudget.trace.EngineStep;
import java.util.List;
import org.apiguardian.api.API;

/** What the steps of an engine give: where its time goes, in nanoseconds, one value per step. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class StepMetrics {

    private StepMetrics() {}

    /** {@return how long the device worked on each step of a kind; no value for a step of which that is not known} */
    public static Distribution deviceNanos(List<EngineStep> steps, EngineStep.Kind kind) {
        return Distribution.of(ofKindWithDevice(steps, kind).stream()
                .mapToDouble(s -> s.deviceNanos().getAsLong()));
    }

    /**
     * {@return what each step of a kind took beyond the device's work on it: launching it, and reading the tokens back; of steps
     * that were begun ahead about 0, a moment above or below}
     */
    public static Distribution outsideDeviceNanos(List<EngineStep> steps, EngineStep.Kind kind) {
        return Distribution.of(ofKindWithDevice(steps, kind).stream()
                .mapToDouble(
                        s -> s.endNanos() - s.startNanos() - s.deviceNanos().getAsLong()));
    }

    /** {@return how long each step of a kind took} */
    public static Distribution durationNanos(List<EngineStep> steps, EngineStep.Kind kind) {
        return Distribution.of(ofKind(steps, kind).stream().mapToDouble(s -> s.endNanos() - s.startNanos()));
    }

    private static List<EngineStep> ofKind(List<EngineStep> steps, EngineStep.Kind kind) {
        return steps.stream().filter(s -> s.kind() == kind).toList();
    }

    private static List<EngineStep> ofKindWithDevice(List<EngineStep> steps, EngineStep.Kind kind) {
        return ofKind(steps, kind).stream()
                .filter(s -> s.deviceNanos().isPresent())
                .toList();
    }
}
