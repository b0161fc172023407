package io.github.latencybudget.load;

import io.github.latencybudget.target.Generation;
import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.Progress;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/** Runs a scenario on one session, one request after the other, and gives the measurement. For one run. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ClosedLoop {

    /** Of what a target says of itself, so that the next step still fits on the page. */
    private static final int MOST_CHARACTERS = 500;

    private final TargetSession session;
    private final Scenario scenario;
    private final Progress progress;
    private final TokenRecorder recorder;
    private OptionalLong peakDeviceMemoryBytes = OptionalLong.empty();
    private long promptsMade;

    /**
     * @param session where to run
     * @param scenario what to run
     * @param progress told of every request that is done
     */
    public ClosedLoop(TargetSession session, Scenario scenario, Progress progress) {
        this.session = session;
        this.scenario = scenario;
        this.progress = progress;
        this.recorder =
                new TokenRecorder(session.clock(), Math.max(scenario.outputTokens(), WarmUpPhase.MOST_OUTPUT_TOKENS));
    }

    /**
     * Warms every prompt length up, then measures. A request that breaks becomes a failed trace and does not end the run.
     *
     * @throws MeasurementException where the warm-up breaks, or a request cannot be made
     */
    public Measurement run() {
        try {
            return measure();
        } catch (MeasurementException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new MeasurementException(
                    "the target broke off outside a request (%s): correct its %s, as TargetSession and Generation say"
                            .formatted(
                                    OneLine.of(e, MOST_CHARACTERS),
                                    session.getClass().getName()),
                    e);
        }
    }

    private Measurement measure() {
        WarmUp warmUp = new WarmUpPhase(scenario, progress, this::request).run();
        List<TokenTrace> traces = new ArrayList<>(scenario.requests());
        boolean isUsable = true;
        for (int promptTokens : scenario.promptTokens()) {
            for (int i = 0; i < scenario.requestsPerPromptLength() && isUsable; i++) {
                TokenTrace trace = request(traces.size(), promptTokens, scenario.outputTokens());
                traces.add(trace);
                progress.step("measuring", traces.size(), scenario.requests(), "requests");
                isUsable = !Thread.currentThread().isInterrupted();
            }
        }
        TargetDescription target = session.description();
        return new Measurement(
                new Conditions(
                        target.model(),
                        target.weights(),
                        target.dtype(),
                        target.device(),
                        scenario.promptTokens().stream()
                                .collect(Collectors.toMap(
                                        p -> p, p -> scenario.requestsPerPromptLength(), (a, b) -> a, TreeMap::new)),
                        scenario.outputTokens(),
                        scenario.sampling(),
                        1),
                new Environment(HostDetails.with(target.details())),
                warmUp,
                traces,
                peakDeviceMemoryBytes,
                List.of());
    }

    private TokenTrace request(int number, int promptTokens, int outputTokens) {
        Generation generation =
                prepare(new GenerationRequest(promptTokens, outputTokens, true, scenario.sampling(), promptsMade++));
        TokenTrace trace = run(generation, number, outputTokens);
        OptionalLong memory = session.deviceMemoryBytes();
        if (memory.isPresent()) {
            peakDeviceMemoryBytes = OptionalLong.of(Math.max(memory.getAsLong(), peakDeviceMemoryBytes.orElse(0)));
        }
        return trace;
    }

    private Generation prepare(GenerationRequest request) {
        try {
            return session.prepare(request);
        } catch (MeasurementException e) {
            throw e;
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            throw new MeasurementException(
                    "a request with a prompt of %d tokens could not be prepared (%s): see what the target says to it"
                            .formatted(request.promptTokens(), e),
                    e);
        }
    }

    // A request may break in any way, an OutOfMemoryError or a missing native symbol included. What was measured
    // before it has to be kept, so nothing but the end of the JVM passes.
    private TokenTrace run(Generation generation, int number, int outputTokens) {
        recorder.start(number, generation.promptTokens(), outputTokens, true);
        try {
            generation.run(recorder);
            return recorder.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return recorder.fail("interrupted");
        } catch (Throwable e) {
            return recorder.fail(e.getMessage() == null ? e.getClass().getName() : e.getMessage());
        }
    }
}
