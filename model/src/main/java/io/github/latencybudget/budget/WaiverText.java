package io.github.latencybudget.budget;

import java.time.LocalDate;
import java.util.Locale;

/** Words what a waiver does to a verdict. */
final class WaiverText {

    private WaiverText() {}

    static String waived(Rule rule, Waiver waiver) {
        String bound = waiver.upTo().isPresent() ? String.format(Locale.ROOT, " %s", bound(rule, waiver)) : "";
        return String.format(
                Locale.ROOT,
                "waived%s until %s (UTC, that day included) by %s: %s; remediation plan: %s",
                bound,
                waiver.expires(),
                waiver.owner(),
                waiver.reason(),
                plan(waiver));
    }

    static String expired(Waiver waiver, LocalDate today) {
        return String.format(
                Locale.ROOT,
                "its waiver by %s expired on %s, and today is %s (UTC): carry out the remediation plan (%s), or have the waiver renewed",
                waiver.owner(),
                waiver.expires(),
                today,
                plan(waiver));
    }

    static String unused(Waiver waiver) {
        return String.format(
                Locale.ROOT,
                "the rule holds, and a waiver by %s says that it does not: remove the waiver; remediation plan: %s",
                waiver.owner(),
                plan(waiver));
    }

    static String beyond(Rule rule, Waiver waiver) {
        return String.format(
                Locale.ROOT,
                "its waiver by %s covers it %s only: repair what became worse; remediation plan: %s",
                waiver.owner(),
                bound(rule, waiver),
                plan(waiver));
    }

    static String notShownCovered(Rule rule, Waiver waiver, String reason) {
        return String.format(
                Locale.ROOT,
                "broken, and not shown to be %s, which is what its waiver by %s covers: %s",
                bound(rule, waiver),
                waiver.owner(),
                reason);
    }

    static String bound(Rule rule, Waiver waiver) {
        return String.format(
                Locale.ROOT,
                "%s %s",
                rule.isAtMost() ? "up to" : "down to",
                Quantity.exact(rule.unit(), waiver.upTo().getAsDouble()));
    }

    private static String plan(Waiver waiver) {
        return waiver.plan().map(p -> p + ", ").orElse("") + waiver.remediation();
    }
}
