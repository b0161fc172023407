package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Finding;
import java.util.Optional;

/**
 * What checking one guard has given.
 *
 * @param state what became of it
 * @param said what was seen, or why nothing was; empty where there is nothing to say
 * @param kind of the finding where something was found
 */
record GuardCheck(GuardReport.State state, Optional<String> said, Optional<Finding.Kind> kind) {

    static GuardCheck clear() {
        return new GuardCheck(GuardReport.State.CLEAR, Optional.empty(), Optional.empty());
    }

    static GuardCheck clear(String said) {
        return new GuardCheck(GuardReport.State.CLEAR, Optional.of(said), Optional.empty());
    }

    static GuardCheck found(Finding.Kind kind, String sentence) {
        return new GuardCheck(GuardReport.State.FOUND, Optional.of(sentence), Optional.of(kind));
    }

    static GuardCheck off() {
        return new GuardCheck(GuardReport.State.OFF, Optional.empty(), Optional.empty());
    }

    static GuardCheck notChecked(String reason) {
        return new GuardCheck(GuardReport.State.NOT_CHECKED, Optional.of(reason), Optional.empty());
    }

    static GuardCheck notApplicable(String reason) {
        return new GuardCheck(GuardReport.State.NOT_APPLICABLE, Optional.of(reason), Optional.empty());
    }

    Optional<Finding> finding() {
        return kind.map(k -> new Finding(k, said.orElseThrow()));
    }
}
