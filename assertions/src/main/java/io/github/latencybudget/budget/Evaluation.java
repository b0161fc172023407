package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        moreThanPlanned(sample).ifPresent(obstacles::add);
        someWithoutValue(rule.metric(), sample).ifPresent(obstacles::add);
        if (rule instanceof ThroughputRule throughput) {
            throughput.conditions().mismatch(measurement).ifPresent(obstacles::add);
        }
        return judge(rule, sample, obstacles);
    }

    private Verdict judge(Rule rule, Sample sample, List<String> obstacles) {
        Ranking ranking = Ranking.of(rule.metric(), sample.values());
        Trial trial = trial(rule, sample.observations());
        Evidence evidence = evidence(rule, sample, ranking, trial);

        List<String> reasons = new ArrayList<>();
        if (!trial.isDecided()) {
            reasons.add(tooFew(evidence));
        }
        if (trial.isShownToHold() && trial.isShownToBeBroken()) {
            reasons.add(changed(trial, sample.observations().roundSize()));
        }
        reasons.addAll(obstacles);
        findings.stream()
                .filter(f -> !trial.isShownToBeBroken() || f.kind().rulesOutBreach())
                .map(Finding::sentence)
                .forEach(reasons::add);
        return new Verdict(
                rule,
                status(reasons, trial.isShownToBeBroken()),
                OptionalDouble.of(ranking.at(evidence.rank())),
                Optional.of(evidence),
                inOne(reasons));
    }

    private Trial trial(Rule rule, Observations observations) {
        Trial trial = Trial.of(rule, confidence, observations.chains());
        for (int i = 0; i < observations.rounds(); i++) {
            trial.add(observations.share(i, rule.limitInUnit()), observations.level(i));
        }
        return trial;
    }

    private Evidence evidence(Rule rule, Sample sample, Ranking ranking, Trial trial) {
        Distribution values = sample.values();
        Observations observations = sample.observations();
        Sample.Cache.Ends ends = samples.ends(new Bounds(
                observations, ranking, rule.percentile().shareAbove(), confidence.alpha(), trial.samplesInOne()));
        return new Evidence(
                values.requests(),
                values.size(),
                ranking.beyond(rule.limitInUnit()),
                rule.percentile().rank(values.size()),
                ranking.lessIsBetter() ? ends.best() : ends.worst(),
                ranking.lessIsBetter() ? ends.worst() : ends.best(),
                values.percentile(Percentile.P50).getAsDouble(),
                values.percentile(Percentile.P95).getAsDouble(),
                values.percentile(Percentile.P99).getAsDouble(),
                values.max().getAsDouble(),
                trial.isDecided()
                        ? OptionalInt.empty()
                        : OptionalInt.of(inRequests(trial.samplesToHold(), observations.roundSize())),
                trial.isDecided()
                        ? OptionalInt.of(inRequests(trial.decidedAfter(), observations.roundSize()))
                        : OptionalInt.empty(),
                measurement.conditions().requestsByPromptTokens().entrySet().stream()
                        .filter(planned -> rule.appliesTo(planned.getKey()))
                        .mapToInt(Map.Entry::getValue)
                        .sum(),
                observations.roundSize() * observations.chains() * trial.samplesInOne(),
                trial.correlation().map(c -> OptionalDouble.of(c.coefficient())).orElse(OptionalDouble.empty()),
                MethodText.of(rule.metric(), observations, trial),
                confidence);
    }

    private static int inRequests(int samples, int requestsPerSample) {
        return (int) Math.min(Integer.MAX_VALUE, (long) samples * requestsPerSample);
    }

    private int inFlight() {
        return Math.max(1, measurement.conditions().concurrency());
    }

    private static String changed(Trial trial, int roundSize) {
        return "shown to hold after %s requests and to be broken after %s: what was measured changed meanwhile; find out what changed, and measure again"
                .formatted(trial.holdsAfter() * roundSize, trial.brokenAfter() * roundSize);
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
        return "could not be shown with %s confidence from %s request%s%s with %s of %s values beyond the limit; needs %s requests if no further value is beyond it"
                .formatted(
                        confidence,
                        evidence.requests(),
                        evidence.requests() == 1 ? "" : "s",
                        MethodText.notAlone(evidence, inFlight()),
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

    /** A run may stop whenever it likes, since each verdict holds at every look; but it has to stop where it said it would. */
    private Optional<String> moreThanPlanned(Sample sample) {
        return measurement.conditions().requestsByPromptTokens().entrySet().stream()
                .filter(planned -> sample.requestsOf(planned.getKey()) > planned.getValue())
                .findFirst()
                .map(planned ->
                        "at most %s requests with prompts of %s tokens were planned and %s measured; measure no more than are planned"
                                .formatted(planned.getValue(), planned.getKey(), sample.requestsOf(planned.getKey())));
    }

    private static String list(String separator, Stream<Integer> lengths) {
        return lengths.map(String::valueOf).collect(Collectors.joining(separator));
    }

    private static Optional<String> someWithoutValue(Metric metric, Sample sample) {
        int completed = sample.completed().size();
        int without = sample.withoutValue();
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
