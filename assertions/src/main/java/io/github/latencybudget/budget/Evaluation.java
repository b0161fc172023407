package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Judges the rules of one budget on one measurement.
 *
 * @param findings what keeps rules from being shown to hold
 */
record Evaluation(Measurement measurement, List<Finding> findings, Confidence confidence) {

    Verdict judge(Rule rule) {
        List<TokenTrace> meant =
                measurement.traces().stream().filter(rule::appliesTo).toList();
        if (meant.isEmpty()) {
            return unknown(rule, missing(rule));
        }
        List<TokenTrace> completed =
                meant.stream().filter(t -> t.outcome() == Outcome.COMPLETED).toList();
        Distribution values = Distribution.of(rule.metric(), completed);
        if (values.size() == 0) {
            return unknown(rule, noValue(rule, meant, completed));
        }
        return rule instanceof LatencyRule latency ? judge(latency, values) : judge((ThroughputRule) rule, values);
    }

    private Verdict judge(LatencyRule rule, Distribution values) {
        double limit = rule.limit().toNanos();
        ExceedanceTest test = test(rule.percentile(), values);
        int exceedances = values.countAbove(limit);
        int rank = rule.percentile().rank(values.size());
        int mostForPass = test.mostForPass(confidence.alpha());
        int fewestForBreach = test.fewestForBreach(confidence.alpha());
        Shown shown = new Shown(exceedances <= mostForPass, exceedances >= fewestForBreach);
        Evidence evidence = evidence(
                values,
                exceedances,
                rank,
                fewestForBreach <= values.size()
                        ? OptionalDouble.of(values.atRank(values.size() - fewestForBreach + 1))
                        : OptionalDouble.empty(),
                mostForPass >= 0 && mostForPass < values.size()
                        ? OptionalDouble.of(values.atRank(values.size() - mostForPass))
                        : OptionalDouble.empty(),
                test,
                shown);
        return verdict(rule, values.atRank(rank), evidence, shown, Optional.empty());
    }

    private Verdict judge(ThroughputRule rule, Distribution values) {
        ExceedanceTest test = test(rule.share(), values);
        int exceedances = values.countBelow(rule.minTokensPerSecond());
        int rank = rule.share().rank(values.size());
        int mostForPass = test.mostForPass(confidence.alpha());
        int fewestForBreach = test.fewestForBreach(confidence.alpha());
        Shown shown = new Shown(exceedances <= mostForPass, exceedances >= fewestForBreach);
        Evidence evidence = evidence(
                values,
                exceedances,
                rank,
                mostForPass >= 0 && mostForPass < values.size()
                        ? OptionalDouble.of(values.atRank(mostForPass + 1))
                        : OptionalDouble.empty(),
                fewestForBreach <= values.size()
                        ? OptionalDouble.of(values.atRank(fewestForBreach))
                        : OptionalDouble.empty(),
                test,
                shown);
        return verdict(
                rule, values.atRank(values.size() - rank + 1), evidence, shown, otherConditions(rule.conditions()));
    }

    private static ExceedanceTest test(Percentile percentile, Distribution values) {
        return new ExceedanceTest(percentile.shareAbove(), values.requests(), values.size(), values.mostPerRequest());
    }

    private Evidence evidence(
            Distribution values,
            int exceedances,
            int rank,
            OptionalDouble lowerBound,
            OptionalDouble upperBound,
            ExceedanceTest test,
            Shown shown) {
        return new Evidence(
                values.requests(),
                values.size(),
                exceedances,
                rank,
                lowerBound,
                upperBound,
                values.percentile(Percentile.P50).getAsDouble(),
                values.percentile(Percentile.P95).getAsDouble(),
                values.percentile(Percentile.P99).getAsDouble(),
                values.max().getAsDouble(),
                shown.toHold()
                        ? OptionalInt.empty()
                        : OptionalInt.of(test.requestsForPass(exceedances, confidence.alpha())),
                test.method());
    }

    /** What the samples show by themselves, before the validity of the run is asked for. */
    private record Shown(boolean toHold, boolean toBeBroken) {}

    private Verdict verdict(
            Rule rule, double observed, Evidence evidence, Shown shown, Optional<String> conditionsNotMet) {
        List<String> reasons = new ArrayList<>();
        conditionsNotMet.ifPresent(reasons::add);
        findings.stream()
                .filter(f -> !shown.toBeBroken() || f.kind().rulesOutBreach())
                .map(Finding::sentence)
                .forEach(reasons::add);
        if (!shown.toHold() && !shown.toBeBroken()) {
            reasons.add(0, tooFew(evidence));
        }
        Status status = shown.toBeBroken() ? Status.BREACH : Status.PASS;
        return new Verdict(
                rule,
                reasons.isEmpty() ? status : Status.INCONCLUSIVE,
                OptionalDouble.of(observed),
                Optional.of(evidence),
                reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons)));
    }

    private String tooFew(Evidence evidence) {
        return "could not be shown with %s confidence from %d request%s with %d of %d values beyond the limit; needs %d requests if no further value is beyond it"
                .formatted(
                        confidence,
                        evidence.requests(),
                        evidence.requests() == 1 ? "" : "s",
                        evidence.exceedances(),
                        evidence.values(),
                        evidence.requestsNeeded().getAsInt());
    }

    private Optional<String> otherConditions(ThroughputConditions wanted) {
        Conditions conditions = measurement.conditions();
        if (!conditions.requestsByPromptTokens().keySet().equals(wanted.promptTokens())) {
            return Optional.of("the run had prompts of %s, the rule is about %s tokens"
                    .formatted(conditions.promptLengths(), wanted.promptTokens()));
        }
        if (!conditions.sampling().equals(wanted.sampling())) {
            return Optional.of(
                    "the run sampled %s, the rule is about %s".formatted(conditions.sampling(), wanted.sampling()));
        }
        if (conditions.concurrency() != wanted.concurrency()) {
            return Optional.of("the run had a concurrency of %d, the rule is about %d"
                    .formatted(conditions.concurrency(), wanted.concurrency()));
        }
        if (measurement.peakDeviceMemoryBytes().isEmpty()) {
            return Optional.of("the device memory in use could not be read, and a TGS value without it says nothing");
        }
        long peak = measurement.peakDeviceMemoryBytes().getAsLong();
        if (peak > wanted.maxDeviceMemoryBytes()) {
            return Optional.of("the run used %s of device memory, the rule is about at most %s"
                    .formatted(Quantity.gibibytes(peak), Quantity.gibibytes(wanted.maxDeviceMemoryBytes())));
        }
        return Optional.empty();
    }

    private Verdict unknown(Rule rule, String reason) {
        List<String> reasons = new ArrayList<>(List.of(reason));
        findings.stream().map(Finding::sentence).forEach(reasons::add);
        return new Verdict(
                rule,
                Status.INCONCLUSIVE,
                OptionalDouble.empty(),
                Optional.empty(),
                Optional.of(String.join("; ", reasons)));
    }

    private String missing(Rule rule) {
        return measurement.traces().isEmpty()
                ? "missing: no request was measured"
                : "missing: no request with %s was measured (measured: %s)"
                        .formatted(rule.scope(), measurement.conditions().promptLengths());
    }

    private static String noValue(Rule rule, List<TokenTrace> meant, List<TokenTrace> completed) {
        if (meant.stream().allMatch(t -> t.outcome() == Outcome.EMPTY)) {
            return "no token: none of %d requests gave one, so there is no %s"
                    .formatted(meant.size(), rule.metric().label());
        }
        if (completed.isEmpty()) {
            return "none of %d requests completed, so there is no %s"
                    .formatted(meant.size(), rule.metric().label());
        }
        return "none of %d completed requests gave a %s, which takes two output tokens at different times"
                .formatted(completed.size(), rule.metric().label());
    }
}
