package io.github.latencybudget.load;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.WarmUp;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How exactly the client of a target tells arrivals at the rate of a run, as it measured itself.
 *
 * @param calibration what was found; empty where there is no such client, nobody asks, or it could not be measured
 * @param notChecked why it could not; empty where it could
 */
record ClientCheck(Optional<ClientCalibration> calibration, Optional<String> notChecked) {

    private static final ClientCheck NONE = new ClientCheck(Optional.empty(), Optional.empty());
    private static final String STEP = "calibrating the client";
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * @param inFlight how many requests will be in flight
     * @param budget what the run is judged by; empty where that is not known
     */
    static ClientCheck of(
            TargetSession session,
            int inFlight,
            WarmUp warmUp,
            Optional<Budget> budget,
            GuardSettings guards,
            Progress progress) {
        if (!guards.isOn(Guard.MAX_CLIENT_ERROR_SHARE)) {
            return NONE;
        }
        progress.step(STEP, 0, 1, "clients");
        try {
            double mostErrorNanos = budget.map(b -> b.mostClientErrorNanos(guards))
                    .orElseGet(OptionalDouble::empty)
                    .orElse(ClientCalibration.LEAST_END_NANOS);
            return new ClientCheck(
                    session.calibrate(inFlight, eventsPerSecond(inFlight, warmUp), (long) mostErrorNanos),
                    Optional.empty());
        } catch (MeasurementException e) {
            return new ClientCheck(
                    Optional.empty(), Optional.of("the client could not be calibrated: " + OneLine.of(e.getMessage())));
        } finally {
            progress.step(STEP, 1, 1, "clients");
        }
    }

    /** At the prompt length of which most comes. */
    private static double eventsPerSecond(int inFlight, WarmUp warmUp) {
        return inFlight
                * warmUp.series().stream()
                        .mapToDouble(ClientCheck::eventsPerSecond)
                        .max()
                        .orElse(0);
    }

    /** What comes of a request that is decoding; where its answer comes all at once, of one after the other. */
    private static double eventsPerSecond(WarmUp.Series series) {
        OptionalLong gapNanos = last(series.itlMeanNanos());
        if (gapNanos.orElse(0) > 0) {
            return NANOS_PER_SECOND / gapNanos.getAsLong();
        }
        List<Long> whole = series.e2eNanos().isEmpty() ? series.ttftNanos() : series.e2eNanos();
        int events = gapNanos.isPresent() ? series.outputTokens() : 1;
        return last(whole).isPresent()
                ? events * NANOS_PER_SECOND / Math.max(1, last(whole).getAsLong())
                : 0;
    }

    private static OptionalLong last(List<Long> nanos) {
        return nanos.isEmpty() ? OptionalLong.empty() : OptionalLong.of(nanos.get(nanos.size() - 1));
    }
}
