package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.record.WaiverEntry;

/**
 * A waiver, as text.
 *
 * @param covers what it covers
 * @param plan the plan's name, or its address where it has none
 * @param link the plan's address
 */
record WaiverView(String owner, String reason, String expires, String covers, String plan, String link) {

    static WaiverView of(RuleEntry rule, WaiverEntry waiver) {
        String link = waiver.remediation().toString();
        return new WaiverView(
                waiver.owner(),
                waiver.reason(),
                waiver.expires() + " (UTC, included)",
                waiver.upTo() == null
                        ? "every value"
                        : (rule.isAtMost() ? "up to " : "down to ") + Quantity.exact(rule.unit(), waiver.upTo()),
                waiver.plan() == null ? link : waiver.plan(),
                link);
    }
}
