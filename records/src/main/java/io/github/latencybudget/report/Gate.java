package io.github.latencybudget.report;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One gate of a run.
 *
 * @param displayName its name for people
 * @param place which of several runs or machines it is of, in words; empty where there is one
 * @param attempts in order; none where its record is gone, or where it never was in a test plan
 * @param lack what the test plans and the manifest ask for and what is not there, in words; empty where nothing is missing
 */
record Gate(GateKey key, String displayName, String place, List<GateAttempt> attempts, Optional<String> lack) {

    /** {@return the attempt that the status rests on: the last that was not left out, so that no skipped rerun hides a breach} */
    Optional<GateAttempt> deciding() {
        Optional<GateAttempt> last =
                attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.get(attempts.size() - 1));
        return attempts.stream()
                .filter(attempt -> !attempt.isLeftOut())
                .reduce((first, second) -> second)
                .or(() -> last);
    }

    /** {@return the display name; where it is only the method's, with its class, because many a class has such a method} */
    String name() {
        String name = displayName.equals(key.gate().methodName())
                ? key.gate().simpleClassName() + "." + displayName
                : displayName;
        return place.isEmpty() ? name : name + " [" + place + "]";
    }

    GateStatus status() {
        if (attempts.isEmpty()) {
            return GateStatus.MISSING;
        }
        GateStatus status = deciding().orElseThrow().status();
        if (lack.isPresent() && !status.fails()) {
            return GateStatus.MISSING;
        }
        return status == GateStatus.PASSED && attempts.size() > 1 ? GateStatus.PASSED_ON_RERUN : status;
    }

    /** {@return such as {@code PASSED} or {@code PASSED on attempt 2 of 2}} */
    String statusText() {
        String words = status().words();
        return attempts.size() < 2
                ? words
                : String.format(
                        Locale.ROOT,
                        "%s on attempt %d of %d",
                        words,
                        deciding().orElseThrow().record().attempt(),
                        attempts.get(attempts.size() - 1).record().attempt());
    }

    /** {@return what the verdicts do not say, in words; empty where there is nothing more to say} */
    Optional<String> remark() {
        Optional<String> ofAttempt = deciding().flatMap(GateAttempt::remark);
        return lack.isPresent() && ofAttempt.isPresent()
                ? Optional.of(lack.get() + " " + ofAttempt.get())
                : lack.or(() -> ofAttempt);
    }
}
