package io.github.latencybudget.report;

import java.util.Locale;
import org.apiguardian.api.API;

/** What became of a gate. Only {@link #PASSED} is a clean pass. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum GateStatus {
    /** Every rule was shown to hold at the first attempt, and the test itself passed. */
    PASSED("passed"),
    /** Every rule was shown to hold, but at another attempt one was not. */
    PASSED_ON_RERUN("passed only on a rerun"),
    /** Every rule was shown to hold, and the run became the baseline that it was to be compared with. */
    BASELINE_STORED("stored as a baseline and compared with nothing"),
    /** Every rule that is about the device was shown to hold, and others of the policy hold for other devices. */
    PARTLY_APPLICABLE("passed with rules that are not applicable"),
    /** Every rule that was chosen was shown to hold, and others of the policy were left out by a tag or another choice of tests. */
    PARTLY_SELECTED("passed with rules that were left out"),
    /** A rule is broken, and every rule that is has a waiver that covers it. */
    WAIVED("waived"),
    /** Every rule was shown to hold, but the test's own body failed or was aborted. */
    TEST_NOT_PASSED("within budget in a test that did not pass"),
    /** A rule was shown to be broken. */
    BREACHED("breached"),
    /** A rule was neither shown to hold nor to be broken. */
    INCONCLUSIVE("inconclusive"),
    /** A rule holds that has a waiver, which has to be removed. */
    UNUSED_WAIVER("with an unused waiver"),
    /** The measurement could not be made. */
    ERROR("ended by an error"),
    /** A signal stopped its process before the verdict. */
    INTERRUPTED("interrupted"),
    /** The measurement started and did not end: its process was killed. */
    NOT_FINISHED("not finished"),
    /** The gate was planned and its turn did not come. */
    NOT_RUN("not run"),
    /** Its limits hold for another device than the one under test. */
    NOT_APPLICABLE("not applicable"),
    /** The gate was left out, for a reason. */
    SKIPPED("skipped");

    private final String participle;

    GateStatus(String participle) {
        this.participle = participle;
    }

    /** {@return the status after a count, such as {@code passed} in "2 passed"} */
    public String participle() {
        return participle;
    }

    /** {@return the status by itself, such as {@code NOT FINISHED}} */
    String words() {
        return switch (this) {
            case PASSED_ON_RERUN -> PASSED.words();
            case TEST_NOT_PASSED -> "TEST NOT PASSED";
            default -> name().replace('_', ' ');
        };
    }

    /** {@return the class of the style sheet} */
    String style() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return whether a count of zero is worth saying} */
    boolean isAlwaysCounted() {
        return this == PASSED || this == BREACHED || this == INCONCLUSIVE || this == SKIPPED;
    }
}
