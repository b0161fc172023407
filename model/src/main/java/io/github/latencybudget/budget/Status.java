package io.github.latencybudget.budget;

import org.apiguardian.api.API;

/** What was shown of a rule. Only {@link #PASS} and {@link #WAIVED} do not fail a gate, and only {@link #PASS} is a pass. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Status {
    /** The rule was shown to hold, at the stated confidence. */
    PASS,
    /** The rule was shown to be broken, at the stated confidence. */
    BREACH,
    /** Neither was shown: too few samples, none at all, or a run that shows nothing. */
    INCONCLUSIVE,
    /** The rule was shown to be broken, and a waiver that has not expired covers it. */
    WAIVED,
    /** The rule was shown to hold, and has a waiver that says otherwise, which has to go. */
    UNUSED_WAIVER
}
