package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Drift;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges the rules of one budget on one measurement.
 *
 * @param findings what keeps rules from being shown to hold
 * @param judgesFailures whether a rule of the budget says how many requests may fail
 */
record Evaluation(
        Measurement measurement,
        List<Finding> findings,
        boolean judgesFailures,
        Confidence confidence,
        Sample.Cache samples) {

    Verdict judge(Rule rule) {
        if (rule instanceof DeviceMemoryRule memory) {
            return judge(memory);
        }
        PerRequest values = Terms.values(rule).orElseThrow();
        Sample sample = samples.of(values, rule);
        if (sample.meant().isEmpty()) {
            return unknown(rule, nothingMeasured(rule));
        }
        if (sample.values().size() == 0) {
            return unknown(rule, noValue(values, sample));
        }
        List<String> obstacles = new ArrayList<>();
        missingLengths(rule, sample).ifPresent(obstacles::add);
        moreThanPlanned(sample).ifPresent(obstacles::add);
        someWithoutValue(values, sample).ifPresent(obstacles::add);
        conditions(rule).flatMap(c -> c.mismatch(measurement)).ifPresent(obstacles::add);
        return rule instanceof DriftRule drift
                ? judge(drift, sample, obstacles)
                : judge(rule, new Judgement(rule, Terms.of(rule), samples, measurement, confidence), obstacles);
    }

    private static Optional<ThroughputConditions> conditions(Rule rule) {
        if (rule instanceof ThroughputRule throughput) {
            return Optional.of(throughput.conditions());
        }
        return rule instanceof SystemThroughputRule system ? Optional.of(system.conditions()) : Optional.empty();
    }

    private Verdict judge(Rule rule, Judgement judgement, List<String> obstacles) {
        Optional<String> doubt = judgement.doubt();
        boolean isBroken = doubt.isEmpty() && judgement.trial().isShownToBeBroken();
        List<String> reasons = new ArrayList<>(doubt.stream().toList());
        reasons.addAll(obstacles);
        findings(rule)
                .filter(f -> !isBroken || f.kind().rulesOutBreach())
                .map(Finding::sentence)
                .forEach(reasons::add);
        return new Verdict(
                rule,
                status(reasons, isBroken),
                OptionalDouble.of(judgement.observed()),
                Optional.of(judgement.evidence()),
                inOne(reasons));
    }

    /** Judged once, so a run that ended before its last request does not show it: what ended it may be what drifted. */
    private Verdict judge(DriftRule rule, Sample sample, List<String> obstacles) {
        int planned = measurement.conditions().requestsByPromptTokens().getOrDefault(rule.promptTokens(), 0);
        int measured = sample.meant().size();
        if (measured < planned) {
            obstacles.add(String.format(
                    Locale.ROOT,
                    "%s of %s planned requests were measured, and a drift is judged on all of them; plan no more than the run has time for",
                    measured,
                    planned));
        }
        double[] values = SteadyLoad.of(measurement).stream()
                .filter(rule::appliesTo)
                .sorted(Comparator.comparing(TokenTrace::request))
                .flatMapToDouble(t -> Arrays.stream(rule.metric().of(t)))
                .toArray();
        Optional<DriftJudgement> judged = DriftJudgement.of(
                rule,
                confidence,
                values,
                planned,
                Math.max(1, measurement.conditions().concurrency()));
        if (judged.isEmpty()) {
            obstacles.add(
                    0,
                    String.format(
                            Locale.ROOT,
                            "too few to compare the first third with the last: %s requests gave a %s, and it takes %s",
                            values.length,
                            rule.metric().label(),
                            Drift.LEAST_REQUESTS));
            return unknown(rule, String.join("; ", obstacles));
        }
        DriftJudgement judgement = judged.get();
        List<String> reasons = new ArrayList<>();
        if (!judgement.isDecided()) {
            reasons.add(judgement.tooFew());
        }
        reasons.addAll(obstacles);
        findings(rule)
                .filter(f -> !judgement.isShownToBeBroken() || f.kind().rulesOutBreach())
                .map(Finding::sentence)
                .forEach(reasons::add);
        return new Verdict(
                rule,
                status(reasons, judgement.isShownToBeBroken()),
                judgement.observed(),
                Optional.of(judgement.evidence()),
                inOne(reasons));
    }

    /** What was seen was seen: a limit that was passed once is broken, whatever is to be said of the run. */
    private Verdict judge(DeviceMemoryRule rule) {
        if (measurement.completed().isEmpty()) {
            return unknown(
                    rule,
                    measurement.traces().isEmpty()
                            ? nothingMeasured(rule)
                            : String.format(
                                    Locale.ROOT,
                                    "0 of %s requests completed, so there is no %s of a run",
                                    measurement.traces().size(),
                                    rule.label()));
        }
        if (measurement.peakDeviceMemoryBytes().isEmpty()) {
            return unknown(
                    rule,
                    "the device memory in use could not be read; measure on a device whose memory can be, or leave the limit out");
        }
        long peak = measurement.peakDeviceMemoryBytes().getAsLong();
        boolean isBroken = peak > rule.maxBytes();
        List<String> reasons =
                isBroken ? List.of() : findings(rule).map(Finding::sentence).toList();
        return new Verdict(rule, status(reasons, isBroken), OptionalDouble.of(peak), Optional.empty(), inOne(reasons));
    }

    /** Failed requests stand in the way of every rule but those that say how many there may be, or that count them as bad. */
    private Stream<Finding> findings(Rule rule) {
        boolean areFailuresCounted = judgesFailures || rule instanceof GoodputRule;
        return findings.stream()
                .filter(f -> !areFailuresCounted || f.kind() != Finding.Kind.FAILED_REQUESTS)
                .filter(f -> !(rule instanceof DriftRule) || !isOfDrift(f.kind()));
    }

    /** A rule on the drift has its own limit for it. */
    private static boolean isOfDrift(Finding.Kind kind) {
        return kind == Finding.Kind.SLOWED_DOWN || kind == Finding.Kind.SPED_UP;
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

    private String nothingMeasured(Rule rule) {
        return measurement.traces().isEmpty()
                ? "missing: no request was measured"
                : String.format(
                        Locale.ROOT,
                        "missing: no request with %s was measured (measured: %s)",
                        rule.scope(),
                        list(", ", samples.measuredLengths().stream()));
    }

    private Optional<String> missingLengths(Rule rule, Sample sample) {
        String missing = list(
                " and ",
                measurement.conditions().requestsByPromptTokens().keySet().stream()
                        .filter(rule::appliesTo)
                        .filter(length -> !sample.lengths().contains(length)));
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "missing: prompts of %s tokens were planned and none was measured (measured: %s)",
                        missing,
                        list(", ", sample.lengths().stream())));
    }

    /** A run may stop whenever it likes, since each verdict holds at every look; but it has to stop where it said it would. */
    private Optional<String> moreThanPlanned(Sample sample) {
        return measurement.conditions().requestsByPromptTokens().entrySet().stream()
                .filter(planned -> sample.requestsOf(planned.getKey()) > planned.getValue())
                .findFirst()
                .map(planned -> String.format(
                        Locale.ROOT,
                        "at most %s requests with prompts of %s tokens were planned and %s measured; measure no more than are planned",
                        planned.getValue(),
                        planned.getKey(),
                        sample.requestsOf(planned.getKey())));
    }

    private static String list(String separator, Stream<Integer> lengths) {
        return lengths.map(String::valueOf).collect(Collectors.joining(separator));
    }

    private static Optional<String> someWithoutValue(PerRequest metric, Sample sample) {
        int without = sample.withoutValue();
        return without == 0
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s of %s completed requests gave no %s, and an absent value holds no limit%s",
                        without,
                        sample.counted().size(),
                        metric.label(),
                        unknownTokens(sample)));
    }

    private static String noValue(PerRequest metric, Sample sample) {
        if (sample.meant().stream().allMatch(t -> t.outcome() == Outcome.EMPTY)) {
            return String.format(
                    Locale.ROOT,
                    "no token: 0 of %s requests gave one, so there is no %s",
                    sample.meant().size(),
                    metric.label());
        }
        if (sample.counted().isEmpty()) {
            return String.format(
                    Locale.ROOT,
                    "0 of %s requests completed, so there is no %s",
                    sample.meant().size(),
                    metric.label());
        }
        String unknown = unknownTokens(sample);
        return String.format(
                Locale.ROOT,
                "0 of %s completed requests gave a value of %s%s",
                sample.counted().size(),
                metric.label(),
                unknown.isEmpty() ? ", which takes two output tokens at different times" : unknown);
    }

    private static String unknownTokens(Sample sample) {
        if (sample.counted().stream().anyMatch(t -> t.chunks().isWhole())) {
            return ": the answer was not streamed, so only its E2E and its number of tokens are known; have the server stream it, or judge E2E";
        }
        return sample.counted().stream().allMatch(t -> t.chunks().areTokensKnown())
                ? ""
                : ": it is not known which chunk held how many tokens; judge ICL or TPOT instead";
    }
}
