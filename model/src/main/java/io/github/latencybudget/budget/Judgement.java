package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** What the samples of a run show of a rule, whatever else is to be said of the run. */
final class Judgement {

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
        int needed = trial.isDecided() ? 0 : sample.inRequests(trial.samplesToHold());
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
                trial.isDecided() ? OptionalInt.of(sample.inRequests(trial.decidedAfter())) : OptionalInt.empty(),
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

    private OptionalDouble inUnit(OptionalDouble sampled) {
        return sampled.isPresent() ? OptionalDouble.of(inUnit(sampled.getAsDouble())) : sampled;
    }

    /** What has to be at least something is bet on as its opposite: bad shares, and the time that a token takes. */
    private double inUnit(double sampled) {
        if (rule.isAtMost()) {
            return sampled;
        }
        return rule.unit() == Metric.Unit.SHARE ? 1 - sampled : Terms.NANOS_PER_SECOND / sampled;
    }

    /** {@return why the samples leave open whether the rule holds, with the next step; empty where they do not} */
    Optional<String> doubt() {
        return new Doubt(
                        rule,
                        terms,
                        sample,
                        trial,
                        observed,
                        evidence,
                        Math.max(1, measurement.conditions().concurrency()))
                .reason();
    }
}
