package io.github.latencybudget.trace;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * One run: the traces of its requests, and what they hold for.
 *
 * @param conditions what the numbers hold for
 * @param environment the machine and the software
 * @param warmUp the warm-up before the run
 * @param traces one per request that was started, in the order of their start
 * @param peakDeviceMemoryBytes the most memory in use on the device while the run lasted; empty where it cannot be read
 * @param findings what was found during the run that keeps rules from being shown to hold; what the traces themselves show is
 *     found by the evaluation
 * @param steps what the engine did, in order, with the requests by their numbers; empty where it cannot be looked into
 * @param watch which guards the run is judged with, and what was seen of the device
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Measurement(
        Conditions conditions,
        Environment environment,
        WarmUp warmUp,
        List<TokenTrace> traces,
        OptionalLong peakDeviceMemoryBytes,
        List<Finding> findings,
        List<EngineStep> steps,
        RunWatch watch) {

    /** @throws IllegalArgumentException for a peak of no memory: a value that could not be read is absent, never 0 */
    public Measurement {
        if (peakDeviceMemoryBytes.isPresent() && peakDeviceMemoryBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "peakDeviceMemoryBytes = %s: must be at least 1, or empty",
                    peakDeviceMemoryBytes.getAsLong()));
        }
        traces = List.copyOf(traces);
        findings = List.copyOf(findings);
        steps = List.copyOf(steps);
    }

    /** A run that nobody watched. */
    public Measurement(
            Conditions conditions,
            Environment environment,
            WarmUp warmUp,
            List<TokenTrace> traces,
            OptionalLong peakDeviceMemoryBytes,
            List<Finding> findings,
            List<EngineStep> steps) {
        this(conditions, environment, warmUp, traces, peakDeviceMemoryBytes, findings, steps, RunWatch.NONE);
    }

    /** A run of an engine that cannot be looked into. */
    public Measurement(
            Conditions conditions,
            Environment environment,
            WarmUp warmUp,
            List<TokenTrace> traces,
            OptionalLong peakDeviceMemoryBytes,
            List<Finding> findings) {
        this(conditions, environment, warmUp, traces, peakDeviceMemoryBytes, findings, List.of());
    }

    /** {@return the same run with a further finding} */
    public Measurement with(Finding finding) {
        return new Measurement(
                conditions,
                environment,
                warmUp,
                traces,
                peakDeviceMemoryBytes,
                Stream.concat(findings.stream(), Stream.of(finding)).toList(),
                steps,
                watch);
    }

    /** {@return the traces of the requests that completed: the only ones that give latencies} */
    public List<TokenTrace> completed() {
        return traces.stream().filter(t -> t.outcome() == Outcome.COMPLETED).toList();
    }
}
