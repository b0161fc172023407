package io.github.latencybudget.record;

import io.github.latencybudget.budget.Waiver;
import java.net.URI;
import java.time.LocalDate;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A waiver as a record holds it.
 *
 * @param owner who answers for it
 * @param reason why the rule is broken
 * @param plan the remediation plan's name; null where it has none
 * @param remediation where the plan is
 * @param expires the last day that it holds on, included, of UTC
 * @param upTo the worst value that it covers, in the unit of the rule; null for every value
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record WaiverEntry(
        String owner,
        String reason,
        @Nullable String plan,
        URI remediation,
        LocalDate expires,
        @Nullable Double upTo) {

    /** @throws NullPointerException where a file leaves out what every waiver has */
    public WaiverEntry {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(remediation, "remediation");
        Objects.requireNonNull(expires, "expires");
    }

    /** @throws IllegalArgumentException for what does not make a waiver */
    Waiver toWaiver() {
        return new Waiver(
                owner,
                reason,
                Optional.ofNullable(plan),
                remediation,
                expires,
                upTo == null ? OptionalDouble.empty() : OptionalDouble.of(upTo));
    }

    static WaiverEntry of(Waiver waiver) {
        return new WaiverEntry(
                waiver.owner(),
                waiver.reason(),
                waiver.plan().orElse(null),
                waiver.remediation(),
                waiver.expires(),
                waiver.upTo().isPresent() ? waiver.upTo().getAsDouble() : null);
    }
}
