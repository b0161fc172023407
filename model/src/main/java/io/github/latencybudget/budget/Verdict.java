package io.github.latencybudget.budget;

import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/**
 * What was shown of one rule.
 *
 * @param rule the rule
 * @param status what was shown
 * @param observed the value that was compared with the limit, in nanoseconds or tokens per second; absent where there is none
 * @param evidence what the verdict rests on; absent where no request gave a value
 * @param reason why the rule is {@link Status#INCONCLUSIVE}, what its waiver does, or at which step of a sweep it is broken, in
 *     words with the next step; empty otherwise
 * @param waiver the rule's waiver, whether it helps or not; empty where it has none
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Verdict(
        Rule rule,
        Status status,
        OptionalDouble observed,
        Optional<Evidence> evidence,
        Optional<String> reason,
        Optional<Waiver> waiver) {

    /** A verdict without a waiver. */
    public Verdict(
            Rule rule, Status status, OptionalDouble observed, Optional<Evidence> evidence, Optional<String> reason) {
        this(rule, status, observed, evidence, reason, Optional.empty());
    }

    Verdict withWaiver(Status status, Waiver waiver, String reason) {
        return new Verdict(rule, status, observed, evidence, Optional.of(reason), Optional.of(waiver));
    }

    /** {@return the same verdict with where it comes from before its reason} */
    Verdict because(String where) {
        return new Verdict(
                rule,
                status,
                observed,
                evidence,
                Optional.of(reason.map(r -> where + ": " + r).orElse(where)),
                waiver);
    }

    /** {@return one that was shown to hold where it was measured, and not where it has to} */
    Verdict notShown(String because) {
        return new Verdict(rule, Status.INCONCLUSIVE, observed, evidence, Optional.of(because), waiver);
    }

    /** {@return the verdict, the rule and the observed value on one line} */
    public String line() {
        return VerdictText.line(this);
    }
}
