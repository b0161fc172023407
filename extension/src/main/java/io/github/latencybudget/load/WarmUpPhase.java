package io.github.latencybudget.load;

import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.Progress;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.List;

/**
 * Generates at every prompt length of a scenario until the times agree. The first runs at a new length are slow: kernels are
 * chosen, memory is taken, code is compiled.
 */
final class WarmUpPhase {

    /** Decode has to be warm too, so one token is not enough; more than these do not make it warmer. */
    static final int LEAST_OUTPUT_TOKENS = 8;

    static final int MOST_OUTPUT_TOKENS = 32;
    private static final int RUNS_TO_AGREE = 3;

    private final Scenario scenario;
    private final Progress progress;
    private final Request request;

    /** Runs one request; its trace goes nowhere else. */
    interface Request {
        TokenTrace run(int number, int promptTokens, int outputTokens);
    }

    WarmUpPhase(Scenario scenario, Progress progress, Request request) {
        this.scenario = scenario;
        this.progress = progress;
        this.request = request;
    }

    WarmUp run() {
        WarmUpPlan plan = scenario.warmUp();
        return new WarmUp(
                plan.tolerance(),
                plan.toleranceFloorNanos(),
                scenario.promptTokens().stream().map(this::warm).toList());
    }

    private WarmUp.Series warm(int promptTokens) {
        int outputTokens = Math.max(LEAST_OUTPUT_TOKENS, Math.min(MOST_OUTPUT_TOKENS, scenario.outputTokens()));
        List<Long> ttftNanos = new ArrayList<>();
        List<Long> itlMeanNanos = new ArrayList<>();
        boolean isWarm = false;
        while (!isWarm && ttftNanos.size() < scenario.warmUp().maxRuns()) {
            TokenTrace trace = request.run(ttftNanos.size(), promptTokens, outputTokens);
            if (trace.outcome() != Outcome.COMPLETED) {
                throw new MeasurementException("the warm-up with a prompt of %d tokens did not complete (%s): %s"
                        .formatted(promptTokens, trace.outcome(), trace.reason().orElseThrow()));
            }
            ttftNanos.add(StreamMetrics.ttftNanos(trace).orElseThrow());
            itlMeanNanos.add(Math.round(StreamMetrics.tpotNanos(trace).orElseThrow()));
            isWarm = agree(ttftNanos) && agree(itlMeanNanos);
            progress.step(
                    "warming up at " + promptTokens + " tokens",
                    ttftNanos.size(),
                    scenario.warmUp().maxRuns(),
                    "runs at most");
        }
        return new WarmUp.Series(promptTokens, outputTokens, ttftNanos, itlMeanNanos, isWarm);
    }

    private boolean agree(List<Long> nanos) {
        if (nanos.size() < RUNS_TO_AGREE) {
            return false;
        }
        List<Long> last = nanos.subList(nanos.size() - RUNS_TO_AGREE, nanos.size()).stream()
                .sorted()
                .toList();
        long apart = last.get(RUNS_TO_AGREE - 1) - last.get(0);
        double allowed = scenario.warmUp().tolerance() * last.get(RUNS_TO_AGREE / 2);
        return apart <= Math.max(allowed, scenario.warmUp().toleranceFloorNanos());
    }
}
