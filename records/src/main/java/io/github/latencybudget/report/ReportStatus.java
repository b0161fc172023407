package io.github.latencybudget.report;

import org.apiguardian.api.API;

/** What a run has shown as a whole. Only {@link #PASSED} can be signed off without a further look. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum ReportStatus {
    /** Every gate is a clean pass, and nothing that is known of is missing. */
    PASSED(0),
    /**
     * Nothing was broken or left open, but a gate was skipped, was not applicable, passed only on a rerun or became a baseline, only a
     * part of the manifest was run, or gates of other runs were left out.
     */
    PASSED_WITH_RESERVATIONS(0),
    /** A rule is broken, and each that is has a waiver that covers it; nothing else was broken or left open. */
    WAIVED(0),
    /** A rule was shown to be broken. */
    BREACHED(1),
    /** A gate was not shown to hold, is missing, was refused or changed, or left a record that cannot be read. */
    NOT_SHOWN(2),
    /** A test plan has not ended: it still runs, or its process was killed. */
    RUNNING(2),
    /** No gate was measured. */
    NOTHING_MEASURED(2);

    private final int exitCode;

    ReportStatus(int exitCode) {
        this.exitCode = exitCode;
    }

    /** {@return what a command ends with: 0 where the run holds, 1 where a rule is broken, 2 where nothing can be said} */
    public int exitCode() {
        return exitCode;
    }
}
