package io.github.latencybudget.load;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedSet;

/**
 * Generates at every prompt length of a scenario until the times agree. The first runs at a new length are slow: kernels are
 * chosen, memory is taken, code is compiled. A run is one round of as many requests at once as the run has in flight, for
 * each size of a batch has kernels of its own; its times are the medians over the round.
 */
final class WarmUpPhase {

    /** Decode has to be warm too, so one token is not enough; more than these do not make it warmer. */
    static final int LEAST_OUTPUT_TOKENS = 8;

    static final int MOST_OUTPUT_TOKENS = 32;
    private static final int RUNS_TO_AGREE = 3;

    private final Scenario scenario;
    private final SortedSet<Integer> promptTokens;
    private final int inFlight;
    private final Progress progress;
    private final Round round;

    /** Runs a round of requests at once; their traces go nowhere else. */
    interface Round {
        List<TokenTrace> run(int promptTokens, int outputTokens);
    }

    /**
     * @param promptTokens the lengths to warm up
     * @param inFlight how many requests a round has
     */
    WarmUpPhase(Scenario scenario, SortedSet<Integer> promptTokens, int inFlight, Progress progress, Round round) {
        this.scenario = scenario;
        this.promptTokens = promptTokens;
        this.inFlight = inFlight;
        this.progress = progress;
        this.round = round;
    }

    WarmUp run() {
        WarmUpPlan plan = scenario.warmUp();
        return new WarmUp(
                plan.tolerance(),
                plan.toleranceFloorNanos(),
                promptTokens.stream().map(this::warm).toList());
    }

    /** {@return how many output tokens the requests of a warm-up have} */
    static int outputTokens(Scenario scenario) {
        return Math.max(LEAST_OUTPUT_TOKENS, Math.min(MOST_OUTPUT_TOKENS, scenario.outputTokens()));
    }

    private WarmUp.Series warm(int promptTokens) {
        int outputTokens = outputTokens(scenario);
        Map<Metric, List<Long>> nanos = new EnumMap<>(Metric.class);
        boolean isWarm = false;
        for (int runs = 1; !isWarm && runs <= scenario.warmUp().maxRuns(); runs++) {
            List<TokenTrace> traces = round.run(promptTokens, outputTokens);
            requireAllCompleted(traces, promptTokens);
            // Of answers that were not streamed E2E is all that there is.
            boolean isStreamed = add(Metric.TTFT, traces, nanos);
            add(isStreamed ? Metric.TPOT : Metric.E2E, traces, nanos);
            isWarm = nanos.values().stream().allMatch(this::agree);
            progress.step(
                    "warming up at " + promptTokens + " tokens",
                    runs,
                    scenario.warmUp().maxRuns(),
                    "runs at most");
        }
        return new WarmUp.Series(
                promptTokens,
                outputTokens,
                nanos.getOrDefault(Metric.TTFT, List.of()),
                nanos.getOrDefault(Metric.TPOT, List.of()),
                isWarm,
                nanos.getOrDefault(Metric.E2E, List.of()));
    }

    /** {@return whether there is such a time} */
    private static boolean add(Metric metric, List<TokenTrace> traces, Map<Metric, List<Long>> nanos) {
        OptionalDouble median = Distribution.of(metric, traces).percentile(Percentile.P50);
        median.ifPresent(
                m -> nanos.computeIfAbsent(metric, n -> new ArrayList<>()).add(Math.round(m)));
        return median.isPresent();
    }

    private void requireAllCompleted(List<TokenTrace> traces, int promptTokens) {
        for (TokenTrace trace : traces) {
            if (trace.outcome() != Outcome.COMPLETED) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "the warm-up with a prompt of %d tokens did not complete (%s): %s",
                        promptTokens,
                        trace.outcome(),
                        trace.reason().orElseThrow()));
            }
        }
        if (traces.size() < inFlight) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the warm-up with a prompt of %d tokens was interrupted after %d of %d requests",
                    promptTokens,
                    traces.size(),
                    inFlight));
        }
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
