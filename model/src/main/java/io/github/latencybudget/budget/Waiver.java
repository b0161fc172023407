package io.github.latencybudget.budget;

import io.github.latencybudget.trace.OneLine;
import java.net.URI;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apiguardian.api.API;

/**
 * Somebody's word that a broken rule is known and put up with for a while, and what will be done about it. It waives a breach and
 * nothing else: what could not be shown is not waived.
 *
 * @param owner who answers for it
 * @param reason why the rule is broken
 * @param plan the remediation plan's name; empty where its link says enough
 * @param remediation where the plan is: an http or https address without credentials
 * @param expires the last day that it holds on, included; the day is that of UTC
 * @param upTo the worst value that it covers, in the unit of the rule: at most, or at least, as the rule; empty
 *     for every value
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Waiver(
        String owner, String reason, Optional<String> plan, URI remediation, LocalDate expires, OptionalDouble upTo) {

    /** @throws IllegalArgumentException naming the component, for a blank text, an address that is no link, or a bound that is not above zero */
    public Waiver {
        owner = text("owner", owner, "name who answers for it");
        reason = text("reason", reason, "say why the rule is broken");
        plan = plan.map(p -> text("plan", p, "name the remediation plan, or leave it out"));
        requireLink(remediation);
        if (upTo.isPresent() && !(upTo.getAsDouble() > 0 && upTo.getAsDouble() < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "upTo = %s: must be above 0 and finite", upTo.getAsDouble()));
        }
    }

    private static String text(String component, String value, String nextStep) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "%s = \"\": %s", component, nextStep));
        }
        return OneLine.of(value);
    }

    /** What it is about stands in reports, as a link. */
    private static void requireLink(URI remediation) {
        if (remediation.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "remediation names a user or a password before its host: reports show it; leave them out");
        }
        String scheme = remediation.getScheme();
        boolean isWeb = "https".equalsIgnoreCase(scheme) || "http".equalsIgnoreCase(scheme);
        if (!isWeb || remediation.getHost() == null) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "remediation = %s: must be a link to the plan, such as https://tracker.example.com/KV-12",
                    OneLine.of(remediation.toString())));
        }
    }

    /** {@return whether it holds on a day} */
    public boolean holdsOn(LocalDate day) {
        return !day.isAfter(expires);
    }
}
