package io.github.latencybudget.report;

import java.util.Locale;
import org.apiguardian.api.API;

/** What became of a gate, the most urgent first. Only {@link #PASSED} is a clean pass. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum GateStatus {
    /** Its record is not what its raw times show: somebody changed it. */
    ALTERED("altered", true),
    /** This version of the product judges its raw times otherwise than the one that has judged them first. */
    JUDGED_OTHERWISE("judged otherwise by this version", true),
    /** A rule was shown to be broken. */
    BREACHED("breached", true),
    /** A rule was neither shown to hold nor to be broken. */
    INCONCLUSIVE("inconclusive", true),
    /** A test plan or the manifest of expected gates has it, or a rule of it, and there is no record of that. */
    MISSING("missing", true),
    /** Its configuration was refused, so nothing was measured. */
    REFUSED("refused", true),
    /** The measurement could not be made, or the test failed before it. */
    ERROR("ended by an error", true),
    /** A signal stopped the run while it was measured. */
    INTERRUPTED("interrupted", true),
    /** The measurement started and did not end: it still runs, or its process was killed. */
    NOT_FINISHED("not finished", true),
    /** The gate was planned and its turn did not come. */
    NOT_RUN("not run", true),
    /** Every rule was shown to hold, but the test itself failed or was aborted. */
    TEST_NOT_PASSED("within budget in a test that did not pass", true),
    /** A rule holds that has a waiver, which has to be removed. */
    UNUSED_WAIVER("with an unused waiver", true),
    /** A rule is broken, and every rule that is has a waiver that covers it. */
    WAIVED("waived", false),
    /** Every rule was shown to hold, but at another attempt one was not. */
    PASSED_ON_RERUN("passed only on a rerun", false),
    /** Every rule was shown to hold, and the run became the baseline that it was to be compared with. */
    BASELINE_STORED("stored as a baseline and compared with nothing", false),
    /** Every rule that is about the device was shown to hold, and others of the policy hold for other devices. */
    PARTLY_APPLICABLE("passed with rules that are not applicable", false),
    /** Every rule that was chosen was shown to hold, and others of the policy were left out by a tag or another choice of tests. */
    PARTLY_SELECTED("passed with rules that were left out", false),
    /** Its limits hold for another device than the one under test. */
    NOT_APPLICABLE("not applicable", false),
    /** The gate was left out, for a reason. */
    SKIPPED("skipped", false),
    /** Every rule was shown to hold at the first attempt, and the test itself passed. */
    PASSED("passed", false);

    private final String participle;
    private final boolean fails;

    GateStatus(String participle, boolean fails) {
        this.participle = participle;
        this.fails = fails;
    }

    /** {@return whether the report of a run with such a gate cannot be signed off} */
    public boolean fails() {
        return fails;
    }

    /** {@return the status after a count, such as {@code passed} in "2 passed"} */
    public String participle() {
        return participle;
    }

    /** {@return whether it is shown to hold in part, or at another attempt: a pass to be looked at} */
    boolean isReservation() {
        return !fails && this != PASSED;
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
