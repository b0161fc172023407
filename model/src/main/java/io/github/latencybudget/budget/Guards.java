package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Checks every guard on a run. */
final class Guards {

    private Guards() {}

    /** {@return what became of each guard, in their order} */
    static List<GuardReport> reports(Measurement measurement, List<Rule> rules) {
        return Arrays.stream(Guard.values())
                .map(guard -> report(guard, check(guard, measurement, rules), measurement))
                .toList();
    }

    /** {@return what a guard has found; empty where it is off, or nothing was found} */
    static Optional<Finding> finding(Guard guard, Measurement measurement, List<Rule> rules) {
        return check(guard, measurement, rules).finding();
    }

    private static GuardReport report(Guard guard, GuardCheck check, Measurement measurement) {
        OptionalDouble threshold = guard.defaultThreshold().isPresent()
                ? OptionalDouble.of(measurement.watch().guards().threshold(guard))
                : OptionalDouble.empty();
        return new GuardReport(guard, check.state(), threshold, check.said());
    }

    private static GuardCheck check(Guard guard, Measurement measurement, List<Rule> rules) {
        RunWatch watch = measurement.watch();
        GuardSettings settings = watch.guards();
        if (!settings.isOn(guard)) {
            return GuardCheck.off();
        }
        if (watch.notApplicable().containsKey(guard)) {
            return GuardCheck.notApplicable(watch.notApplicable().get(guard));
        }
        if (watch.notChecked().containsKey(guard)) {
            return GuardCheck.notChecked(watch.notChecked().get(guard));
        }
        return switch (guard) {
            case OTHER_PROCESSES, THROTTLING, MIN_CLOCK_SHARE, MAX_MEMORY_SHARE ->
                watch.device()
                        .map(device -> DeviceGuards.check(guard, device, settings))
                        .orElseGet(() -> GuardCheck.notChecked("the device was not looked at"));
            case MAX_SCHEDULE_DELAY_SHARE -> ScheduleGuard.check(measurement, rules, settings.threshold(guard));
            case MAX_CACHED_SHARE -> PrefixCacheGuard.check(measurement, settings.threshold(guard));
            case OUTPUT_LENGTH -> RequestGuards.outputLength(measurement);
            case MAX_FAILED_SHARE -> RequestGuards.failedRequests(measurement, settings.threshold(guard));
            case SAME_TARGET -> sameTarget(measurement);
            case MAX_CLIENT_ERROR_SHARE -> ClientGuard.check(measurement, rules, settings.threshold(guard));
            case MAX_DRIFT -> DriftGuard.check(measurement, rules, settings.threshold(guard));
        };
    }

    /** Found by whoever ran it; it is among the findings already. */
    private static GuardCheck sameTarget(Measurement measurement) {
        return measurement.findings().stream()
                .filter(f -> f.kind() == Finding.Kind.TARGET_CHANGED)
                .findFirst()
                .map(f -> new GuardCheck(GuardReport.State.FOUND, Optional.of(f.sentence()), Optional.empty()))
                .orElseGet(GuardCheck::clear);
    }
}
