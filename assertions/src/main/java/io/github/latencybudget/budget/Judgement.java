package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** What the samples of a run show of a rule, whatever else is to be said of the run. */
final class Judgement {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Rule rule;
    private final Terms terms;
    private final Sample sample;
    private final Measurement measurement;
    private final Confidence confidence;
    private final boolean isOfSystem;
    private final Trial trial;
    private final double observed;
    private final Evidence evidence;

    Judgement(Rule rule, Terms terms, Sample.Cache samples, Measurement measurement, Confidence confidence) {
        this.rule = rule;
        this.terms = terms;
        this.sample = samples.of(terms.values(), rule);
        this.measurement = measurement;
        this.confidence = confidence;
        this.isOfSystem = rule instanceof SystemThroughputRule;
        this.trial = isOfSystem ? ofBlocks() : ofRequests();
        if (terms.percentile().isPresent()) {
            Ranking ranking = Ranking.of(terms.values(), sample.values());
            int rank = terms.percentile().get().rank(ranking.size());
            this.observed = ranking.at(rank);
            this.evidence = ofPercentile(ranking, rank, samples);
        } else {
            this.observed = isOfSystem
                    ? SystemThroughput.of(measurement.traces()).orElseThrow().systemTgs()
                    : inUnit(sample.observations().mean());
            this.evidence = ofMean();
        }
    }

    /** {@return the value that is compared with the limit, in the rule's unit} */
    double observed() {
        return observed;
    }

    Evidence evidence() {
        return evidence;
    }

    /** {@return the samples, as they were bet on} */
    Trial trial() {
        return trial;
    }

    private Trial ofRequests() {
        Observations observations = sample.observations();
        Trial fed = Trial.of(terms, confidence, observations.chains());
        Observations.Search shares = observations.new Search().at(terms.limit());
        for (int i = 0; i < observations.rounds(); i++) {
            double level = observations.level(i);
            fed.add(terms.percentile().isPresent() ? shares.next() : level, level);
        }
        return fed;
    }

    private Trial ofBlocks() {
        Trial fed = Trial.of(terms, confidence, 1);
        Blocks blocks = new Blocks(sample.observations().roundSize());
        sample.meant().stream()
                .sorted(Comparator.comparing(TokenTrace::request))
                .forEach(t -> blocks.add(t).ifPresent(perToken -> fed.add(perToken, perToken)));
        return fed;
    }

    private Evidence ofPercentile(Ranking ranking, int rank, Sample.Cache samples) {
        Sample.Cache.Ends ends = samples.ends(new Bounds(
                sample.observations(), ranking, terms.bet().limit(), confidence.alpha(), trial.samplesInOne()));
        return evidence(
                OptionalInt.of(ranking.beyond(terms.limit())),
                OptionalInt.of(rank),
                ranking.lessIsBetter() ? ends.best() : ends.worst(),
                ranking.lessIsBetter() ? ends.worst() : ends.best());
    }

    private Evidence ofMean() {
        MeanBounds bounds = trial.bounds();
        OptionalDouble lower = inUnit(bounds.lower());
        OptionalDouble upper = inUnit(bounds.upper());
        return evidence(
                rule.unit() == Metric.Unit.SHARE
                        ? OptionalInt.of(sample.values().countAbove(0))
                        : OptionalInt.empty(),
                OptionalInt.empty(),
                rule.isAtMost() ? lower : upper,
                rule.isAtMost() ? upper : lower);
    }

    private Evidence evidence(OptionalInt exceedances, OptionalInt rank, OptionalDouble lower, OptionalDouble upper) {
        int needed = trial.isDecided() ? 0 : inRequests(trial.samplesToHold());
        return new Evidence(
                sample.values().requests(),
                sample.values().size(),
                exceedances,
                rank,
                // A bound that held at an earlier look may have been passed since: a weaker one holds all the same.
                lower.isPresent() ? OptionalDouble.of(Math.min(lower.getAsDouble(), observed)) : lower,
                upper.isPresent() ? OptionalDouble.of(Math.max(upper.getAsDouble(), observed)) : upper,
                spread(),
                trial.isDecided() || needed == Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of(needed),
                trial.isDecided() ? OptionalInt.of(inRequests(trial.decidedAfter())) : OptionalInt.empty(),
                measurement.conditions().requestsByPromptTokens().entrySet().stream()
                        .filter(planned -> rule.appliesTo(planned.getKey()))
                        .mapToInt(Map.Entry::getValue)
                        .sum(),
                sample.observations().roundSize() * trial.samplesInOne(),
                trial.correlation().map(c -> OptionalDouble.of(c.coefficient())).orElse(OptionalDouble.empty()),
                MethodText.of(rule, terms, sample.observations(), trial),
                confidence);
    }

    private Optional<Evidence.Spread> spread() {
        Distribution values = sample.values();
        return isOfSystem || rule.unit() == Metric.Unit.SHARE
                ? Optional.empty()
                : Optional.of(new Evidence.Spread(
                        values.percentile(Percentile.P50).getAsDouble(),
                        values.percentile(Percentile.P95).getAsDouble(),
                        values.percentile(Percentile.P99).getAsDouble(),
                        values.max().getAsDouble()));
    }

    private int inRequests(int samples) {
        return (int) Math.min(
                Integer.MAX_VALUE, (long) samples * sample.observations().roundSize());
    }

    private OptionalDouble inUnit(OptionalDouble sampled) {
        return sampled.isPresent() ? OptionalDouble.of(inUnit(sampled.getAsDouble())) : sampled;
    }

    /** What has to be at least something is bet on as its opposite: bad shares, and the time that a token takes. */
    private double inUnit(double sampled) {
        if (rule.isAtMost()) {
            return sampled;
        }
        return rule.unit() == Metric.Unit.SHARE ? 1 - sampled : NANOS_PER_SECOND / sampled;
    }

    String changed() {
        return String.format(
                Locale.ROOT,
                "shown to hold after %s requests and to be broken after %s: what was measured changed meanwhile; find out what changed, and measure again",
                inRequests(trial.holdsAfter()),
                inRequests(trial.brokenAfter()));
    }

    /** {@return why a rule that was shown to hold, or to be broken, is not so of the whole run; empty where it is} */
    Optional<String> refutedByTheEnd() {
        boolean isWithin = rule.isAtMost() ? observed <= rule.limitInUnit() : observed >= rule.limitInUnit();
        if (trial.isShownToHold() == trial.isShownToBeBroken()) {
            return Optional.empty();
        }
        if (trial.isShownToBeBroken()) {
            return isWithin ? Optional.of(changedAfter("to be broken", trial.brokenAfter())) : Optional.empty();
        }
        return !isWithin || trial.after().speaksAgainstHolding()
                ? Optional.of(changedAfter("to hold", trial.holdsAfter()))
                : Optional.empty();
    }

    private String changedAfter(String shown, int samples) {
        Aftermath after = trial.after();
        String rest = after.samples().length == 0
                ? ""
                : terms.bet().onMean()
                        ? String.format(
                                Locale.ROOT,
                                ", and the requests after them have a %s of %s",
                                rule.label(),
                                Quantity.of(rule.unit(), inUnit(after.mean()), rule.limitInUnit()))
                        : String.format(
                                Locale.ROOT,
                                ", and of what came after them %s %s, where the rule allows %s",
                                Quantity.percent(after.mean()),
                                evidence.rank().isPresent() ? "is beyond the limit" : ShareText.bad(rule.kind()),
                                Quantity.percent(terms.bet().limit()));
        return String.format(
                Locale.ROOT,
                "shown %s after %s requests%s; the whole run does not bear it out: the target changed meanwhile; find out what changed, and measure again",
                shown,
                inRequests(samples),
                rest);
    }

    /** {@return why it is not decided, with the next step} */
    String tooFew() {
        return String.format(
                Locale.ROOT,
                "could not be shown with %s confidence from %s request%s%s with %s; %s",
                confidence,
                evidence.requests(),
                evidence.requests() == 1 ? "" : "s",
                MethodText.notAlone(
                        evidence, Math.max(1, measurement.conditions().concurrency())),
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
}
