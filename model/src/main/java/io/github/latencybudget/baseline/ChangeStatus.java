package io.github.latencybudget.baseline;

import org.apiguardian.api.API;

/** What was shown of a change from a baseline. With x the tolerance in percent. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum ChangeStatus {
    /** Better by more than x%. */
    IMPROVED,
    /** Within x%, shown and not assumed. */
    SAME,
    /** Not worse by more than x%. Whether it is the same or improved was not shown. */
    NOT_WORSE,
    /** Worse by more than x%. */
    WORSE,
    /** Neither shown to be worse by more than x% nor shown not to be. */
    INCONCLUSIVE;

    /** {@return the status as it is printed, such as {@code NOT WORSE}} */
    public String words() {
        return name().replace('_', ' ');
    }

    /** {@return whether "not worse by more than x%" was shown} */
    public boolean passes() {
        return this == IMPROVED || this == SAME || this == NOT_WORSE;
    }
}
