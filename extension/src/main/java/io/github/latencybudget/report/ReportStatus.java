package io.github.latencybudget.report;

import org.apiguardian.api.API;

/** What a run has shown as a whole. Only {@link #PASSED} can be signed off without a further look. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum ReportStatus {
    /** Every gate is a clean pass. */
    PASSED,
    /** Nothing was broken or left open, but a gate was skipped, was not applicable, passed only on a rerun or became a baseline. */
    PASSED_WITH_RESERVATIONS,
    /** A rule is broken, and each that is has a waiver that covers it; nothing else was broken or left open. */
    WAIVED,
    /** A gate was not shown to hold, did not come to its end, has a waiver that it does not need, or left a record that cannot be read. */
    NOT_SHOWN,
    /** A rule was shown to be broken. */
    BREACHED,
    /** No gate was measured. */
    NOTHING_MEASURED
}
