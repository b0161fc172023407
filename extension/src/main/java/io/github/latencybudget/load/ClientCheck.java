package io.github.latencybudget.load;

import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.Progress;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.WarmUp;
import java.util.Optional;

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

    /** @param inFlight how many requests will be in flight */
    static ClientCheck of(TargetSession session, int inFlight, WarmUp warmUp, GuardSettings guards, Progress progress) {
        if (!guards.isOn(Guard.MAX_CLIENT_ERROR_SHARE)) {
            return NONE;
        }
        progress.step(STEP, 0, 1, "clients");
        try {
            return new ClientCheck(session.calibrate(inFlight, eventsPerSecond(inFlight, warmUp)), Optional.empty());
        } catch (MeasurementException e) {
            return new ClientCheck(
                    Optional.empty(), Optional.of("the client could not be calibrated: " + OneLine.of(e.getMessage())));
        } finally {
            progress.step(STEP, 1, 1, "clients");
        }
    }

    /** What comes when all requests are decoding, at the pace of the prompt length that decodes fastest. */
    private static double eventsPerSecond(int inFlight, WarmUp warmUp) {
        long gapNanos = warmUp.series().stream()
                .filter(s -> !s.itlMeanNanos().isEmpty())
                .mapToLong(s -> s.itlMeanNanos().get(s.itlMeanNanos().size() - 1))
                .min()
                .orElse(0);
        return inFlight * NANOS_PER_SECOND / Math.max(1, gapNanos);
    }
}
