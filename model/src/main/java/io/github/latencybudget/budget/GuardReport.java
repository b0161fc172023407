package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Guard;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/**
 * What became of one guard on a run.
 *
 * @param guard which
 * @param state what became of it
 * @param threshold where it begins; empty for one that is only on or off
 * @param said what was seen, or why nothing was; empty where there is nothing to say
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GuardReport(Guard guard, State state, OptionalDouble threshold, Optional<String> said) {

    /** {@return whether it is on, at its own threshold: what is set by hand is said wherever the verdict stands} */
    public boolean isDefault() {
        return state != State.OFF && threshold.equals(guard.defaultThreshold());
    }

    /** {@return what was set by hand, such as {@code min-clock-share = 0.5} or {@code other-processes = off}} */
    public String setting() {
        return String.format(
                Locale.ROOT, "%s = %s", guard.label(), state == State.OFF ? "off" : threshold.orElseThrow());
    }

    /** What can become of a guard. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum State {
        /** It was checked, and nothing was found. */
        CLEAR,
        /** It found something, which is among the findings. */
        FOUND,
        /** It is switched off. */
        OFF,
        /** It could not be checked. */
        NOT_CHECKED,
        /** It is not about such a run. */
        NOT_APPLICABLE;

        /** {@return such as {@code not checked}} */
        public String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }
}
