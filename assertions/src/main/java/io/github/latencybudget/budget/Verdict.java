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
 * @param reason why the rule is {@link Status#INCONCLUSIVE}, or what its waiver does, in words with the next step; empty otherwise
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

    /** {@return the verdict, the rule and the observed value on one line} */
    public String line() {
        return VerdictText.line(this);
    }
}
