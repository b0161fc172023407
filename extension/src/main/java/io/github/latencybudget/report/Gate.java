package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import java.util.List;
import java.util.Locale;

/**
 * One gate of the run.
 *
 * @param attempts at least one, in order
 */
record Gate(GateId id, List<GateAttempt> attempts) {

    /** {@return the attempt that the status rests on: the last that started, so that no skipped rerun hides a breach} */
    GateAttempt deciding() {
        GateAttempt deciding = attempts.get(attempts.size() - 1);
        for (GateAttempt attempt : attempts) {
            if (attempt.hasStarted()) {
                deciding = attempt;
            }
        }
        return deciding;
    }

    String displayName() {
        return deciding().record().displayName();
    }

    /** {@return the display name; where it is only the method's, with its class, for many a class has such a method} */
    String name() {
        String name = displayName();
        return name.equals(id.methodName()) ? id.simpleClassName() + "." + name : name;
    }

    GateStatus status() {
        GateStatus status = deciding().status();
        return status == GateStatus.PASSED && attempts.size() > 1 ? GateStatus.PASSED_ON_RERUN : status;
    }

    /** {@return such as {@code PASSED} or {@code PASSED on attempt 2 of 2}} */
    String statusText() {
        String words = status().words();
        return attempts.size() == 1
                ? words
                : String.format(
                        Locale.ROOT,
                        "%s on attempt %d of %d",
                        words,
                        deciding().record().attempt(),
                        attempts.get(attempts.size() - 1).record().attempt());
    }
}
