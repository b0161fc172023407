package io.github.latencybudget.budget;

import io.github.latencybudget.trace.TokenTrace;
import java.util.Locale;
import java.util.Optional;

/**
 * Why the samples of a run leave open whether a rule holds: they are too few, or what was shown of the first of them is not so of
 * the whole run.
 *
 * @param observed the value of the whole run that is compared with the limit, in the rule's unit
 * @param inFlight how many requests were in flight at a time
 */
record Doubt(Rule rule, Terms terms, Sample sample, Trial trial, double observed, Evidence evidence, int inFlight) {

    /** {@return the reason, with the next step; empty where the rule is shown to hold or to be broken} */
    Optional<String> reason() {
        if (!trial.isDecided()) {
            return Optional.of(tooFew());
        }
        if (trial.isShownToHold() && trial.isShownToBeBroken()) {
            return Optional.of(shownBothWays());
        }
        boolean isWithin = Limits.isWithin(rule, observed);
        if (trial.isShownToBeBroken()) {
            return isWithin ? Optional.of(takenBack(wholeRun("within"))) : Optional.empty();
        }
        return trial.after()
                .against()
                .map(part -> takenBack(seenIn(part) + ": the target changed during the run"))
                .or(() -> isWithin ? Optional.empty() : Optional.of(takenBack(wholeRun("beyond"))));
    }

    private String takenBack(String but) {
        return String.format(
                Locale.ROOT,
                "shown to %s after %s requests, but %s; find out what changed, and measure again",
                trial.isShownToHold() ? "hold" : "be broken",
                inRequests(trial.decidedAfter()),
                but);
    }

    /** In a percentile each gap weighs the same, in a rate each token, and in the test each request. */
    private String wholeRun(String side) {
        long lengths = sample.counted().stream()
                .mapToInt(TokenTrace::outputTokens)
                .distinct()
                .count();
        return String.format(
                Locale.ROOT,
                "the observed value of the whole run is %s the limit: the target changed during the run%s",
                side,
                lengths > 1 ? ", or long answers differ from short ones" : "");
    }

    /** {@return such as {@code 13 of the 136 requests after them (9.6%) are beyond the limit, and the rule allows 5.0%}} */
    private String seenIn(Aftermath part) {
        int requests = inRequests(part.samples().length);
        String which = part.samples().length == trial.after().samples().length
                ? requests + " requests after them"
                : "last " + requests + " requests";
        if (terms.bet().onMean()) {
            double mean = rule.isAtMost() ? part.mean() : Terms.NANOS_PER_SECOND / part.mean();
            return String.format(
                    Locale.ROOT,
                    "the %s of the %s is %s, and the limit is %s",
                    rule.label(),
                    which,
                    Quantity.of(rule.unit(), mean, rule.limitInUnit()),
                    Quantity.exact(rule.unit(), rule.limitInUnit()));
        }
        String share = Quantity.percent(part.mean());
        String allowed = Quantity.percent(terms.bet().limit());
        if (rule instanceof FluidityRule) {
            return String.format(
                    Locale.ROOT, "%s of the tokens of the %s are late, and the rule allows %s", share, which, allowed);
        }
        if (terms.values().isClusteredByRequest()) {
            return String.format(
                    Locale.ROOT,
                    "%s of the gaps of the %s are beyond the limit, and the rule allows %s",
                    share,
                    which,
                    allowed);
        }
        return String.format(
                Locale.ROOT,
                "%s of the %s (%s) are %s, and the rule allows %s",
                Math.round(part.mean() * requests),
                which,
                share,
                evidence.rank().isPresent() ? "beyond the limit" : ShareText.bad(rule.kind()),
                allowed);
    }

    private String shownBothWays() {
        return String.format(
                Locale.ROOT,
                "shown to hold after %s requests and to be broken after %s: what was measured changed meanwhile; find out what changed, and measure again",
                inRequests(trial.holdsAfter()),
                inRequests(trial.brokenAfter()));
    }

    private String tooFew() {
        return String.format(
                Locale.ROOT,
                "could not be shown with %s confidence from %s request%s%s with %s; %s",
                evidence.confidence(),
                evidence.requests(),
                evidence.requests() == 1 ? "" : "s",
                MethodText.notAlone(evidence, inFlight),
                seen(),
                needs());
    }

    private String seen() {
        if (evidence.rank().isPresent()) {
            return String.format(
                    Locale.ROOT,
                    "%s of %s values beyond the limit",
                    evidence.exceedances().getAsInt(),
                    evidence.values());
        }
        return evidence.exceedances().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%s of %s %s",
                        evidence.exceedances().getAsInt(),
                        evidence.requests(),
                        ShareText.bad(rule.kind()))
                : String.format(
                        Locale.ROOT,
                        "a %s of %s",
                        rule.label(),
                        Quantity.of(rule.unit(), observed, rule.limitInUnit()));
    }

    private String needs() {
        if (evidence.requestsNeeded().isEmpty()) {
            return "no number of requests like these would show it";
        }
        return String.format(
                Locale.ROOT,
                "needs %s requests if %s",
                evidence.requestsNeeded().getAsInt(),
                evidence.rank().isPresent()
                        ? "no further value is beyond it"
                        : evidence.exceedances().isPresent() ? ShareText.good(rule.kind()) : "it stays so");
    }

    private int inRequests(int samples) {
        return sample.inRequests(samples);
    }
}
