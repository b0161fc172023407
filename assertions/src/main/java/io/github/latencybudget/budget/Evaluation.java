package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges the rules of one budget on one measurement.
 *
 * @param findings what keeps rules from being shown to hold
 */
record Evaluation(Measurement measurement, List<Finding> findings, Confidence confidence, Sample.Cache samples) {

    Verdict judge(Rule rule) {
        Sample sample = samples.of(rule);
        if (sample.meant().isEmpty()) {
            return unknown(rule, nothingMeasured(rule));
        }
        if (sample.values().size() == 0) {
            return unknown(rule, noValue(rule.metric(), sample));
        }
        List<String> obstacles = new ArrayList<>();
        missingLengths(rule, sample).ifPresent(obstacles::add);
        otherNumberThanPlanned(sample).ifPresent(obstacles::add);
        someWithoutValue(rule.metric(), sample).ifPresent(obstacles::add);
        if (rule instanceof ThroughputRule throughput) {
            throughput.conditions().mismatch(measurement).ifPresent(obstacles::add);
        }
        return judge(rule, Ranking.of(rule.metric(), sample.values()), obstacles);
    }

    private Verdict judge(Rule rule, Ranking ranking, List<String> obstacles) {
        Distribution values = ranking.values();
        ExceedanceTest test = new ExceedanceTest(
                rule.percentile().shareAbove(), values.requests(), values.size(), values.mostPerRequest(), inFlight());
        int exceedances = ranking.beyond(rule.limitInUnit());
        int mostForPass = test.mostForPass(confidence.alpha());
        int fewestForBreach = test.fewestForBreach(confidence.alpha());
        boolean isShownToHold = exceedances <= mostForPass;
        boolean isShownToBeBroken = exceedances >= fewestForBreach;
        boolean isUndecided = !isShownToHold && !isShownToBeBroken;

        OptionalDouble atBest = atRankFromWorst(ranking, fewestForBreach);
        OptionalDouble atWorst = atRankFromWorst(ranking, mostForPass + 1);
        int rank = rule.percentile().rank(values.size());
        Evidence evidence = new Evidence(
                values.requests(),
                values.size(),
                exceedances,
                rank,
                ranking.lessIsBetter() ? atBest : atWorst,
                ranking.lessIsBetter() ? atWorst : atBest,
                values.percentile(Percentile.P50).getAsDouble(),
                values.percentile(Percentile.P95).getAsDouble(),
                values.percentile(Percentile.P99).getAsDouble(),
                values.max().getAsDouble(),
                isUndecided
                        ? OptionalInt.of(test.requestsForPass(exceedances, confidence.alpha()))
                        : OptionalInt.empty(),
                test.method());

        List<String> reasons = new ArrayList<>();
        if (isUndecided) {
            reasons.add(tooFew(evidence));
        }
        reasons.addAll(obstacles);
        findings.stream()
                .filter(f -> !isShownToBeBroken || f.kind().rulesOutBreach())
                .map(Finding::sentence)
                .forEach(reasons::add);
        return new Verdict(
                rule,
                status(reasons, isShownToBeBroken),
                OptionalDouble.of(ranking.at(rank)),
                Optional.of(evidence),
                inOne(reasons));
    }

    private int inFlight() {
        return Math.max(1, measurement.conditions().concurrency());
    }

    private static OptionalDouble atRankFromWorst(Ranking ranking, int rank) {
        return rank >= 1 && rank <= ranking.size()
                ? OptionalDouble.of(ranking.at(ranking.size() - rank + 1))
                : OptionalDouble.empty();
    }

    private static Status status(List<String> reasons, boolean isShownToBeBroken) {
        if (!reasons.isEmpty()) {
            return Status.INCONCLUSIVE;
        }
        return isShownToBeBroken ? Status.BREACH : Status.PASS;
    }

    private static Optional<String> inOne(List<String> reasons) {
        return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
    }

    private Verdict unknown(Rule rule, String reason) {
        List<String> reasons = new ArrayList<>(List.of(reason));
        findings.stream().map(Finding::sentence).forEach(reasons::add);
        return new Verdict(rule, Status.INCONCLUSIVE, OptionalDouble.empty(), Optional.empty(), inOne(reasons));
    }

    private String tooFew(Evidence evidence) {
        int inFlight = inFlight();
        return "could not be shown with %s confidence from %s request%s%s with %s of %s values beyond the limit; needs %s requests if no further value is beyond it"
                .formatted(
                        confidence,
                        evidence.requests(),
                        evidence.requests() == 1 ? "" : "s",
                        inFlight > 1 ? ", of which %s in flight together count as one sample,".formatted(inFlight) : "",
                        evidence.exceedances(),
                        evidence.values(),
                        evidence.requestsNeeded().getAsInt());
    }

    private String nothingMeasured(Rule rule) {
        return measurement.traces().isEmpty()
                ? "missing: no request was measured"
                : "missing: no request with %s was measured (measured: %s)"
                        .formatted(rule.scope(), list(", ", samples.measuredLengths().stream()));
    }

    private Optional<String> missingLengths(Rule rule, Sample sample) {
        String missing = list(
                " and ",
                measurement.conditions().requestsByPromptTokens().keySet().stream()
                        .filter(rule::appliesTo)
                        .filter(length -> !sample.lengths().contains(length)));
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("missing: prompts of %s tokens were planned and none was measured (measured: %s)"
                        .formatted(missing, list(", ", sample.lengths().stream())));
    }

    /** A run that was cut short, or drawn out until it pleased, is not the sample that the confidence was promised for. */
    private Optional<String> otherNumberThanPlanned(Sample sample) {
        return measurement.conditions().requestsByPromptTokens().entrySet().stream()
                .filter(planned -> sample.lengths().contains(planned.getKey()))
                .filter(planned -> sample.requestsOf(planned.getKey()) != planned.getValue())
                .findFirst()
                .map(planned ->
                        "%s requests with prompts of %s tokens were planned and %s measured; measure as many as are planned"
                                .formatted(planned.getValue(), planned.getKey(), sample.requestsOf(planned.getKey())));
    }

    private static String list(String separator, Stream<Integer> lengths) {
        return lengths.map(String::valueOf).collect(Collectors.joining(separator));
    }

    private static Optional<String> someWithoutValue(Metric metric, Sample sample) {
        int completed = sample.completed().size();
        int without = completed - sample.values().requests();
        return without == 0
                ? Optional.empty()
                : Optional.of("%s of %s completed requests gave no %s, and an absent value holds no limit"
                        .formatted(without, completed, metric.label()));
    }

    private static String noValue(Metric metric, Sample sample) {
        if (sample.meant().stream().allMatch(t -> t.outcome() == Outcome.EMPTY)) {
            return "no token: 0 of %s requests gave one, so there is no %s"
                    .formatted(sample.meant().size(), metric.label());
        }
        if (sample.completed().isEmpty()) {
            return "0 of %s requests completed, so there is no %s"
                    .formatted(sample.meant().size(), metric.label());
        }
        return "0 of %s completed requests gave a value of %s, which takes two output tokens at different times"
                .formatted(sample.completed().size(), metric.label());
    }
}
