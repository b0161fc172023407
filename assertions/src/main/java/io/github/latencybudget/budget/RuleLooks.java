package io.github.latencybudget.budget;

import io.github.latencybudget.metric.RankedValues;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Looks at the requests of a run for one rule. */
abstract sealed class RuleLooks {

    private final Rule rule;
    private final SortedSet<Integer> lengths;
    private final Trial trial;

    private RuleLooks(Rule rule, SortedSet<Integer> lengths, Trial trial) {
        this.rule = rule;
        this.lengths = lengths;
        this.trial = trial;
    }

    static RuleLooks of(Rule rule, Confidence confidence, Collection<Integer> promptTokens, int concurrency) {
        SortedSet<Integer> lengths =
                promptTokens.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new));
        Terms terms = Terms.of(rule);
        // A rule about none of the lengths takes no request.
        Rounds<Look> rounds = new Rounds<>(lengths, concurrency);
        return rule instanceof SystemThroughputRule
                ? new OfBlocks(rule, lengths, Trial.of(terms, confidence, 1), rounds.inFlight())
                : new OfRequests(rule, lengths, Trial.of(terms, confidence, rounds.chains()), terms, rounds);
    }

    final Rule rule() {
        return rule;
    }

    final Trial trial() {
        return trial;
    }

    final void add(TokenTrace trace) {
        if (lengths.contains(trace.promptTokens())) {
            take(trace);
        }
    }

    abstract void take(TokenTrace trace);

    private record Look(double sample, double level) {}

    private static final class OfRequests extends RuleLooks {

        private final Terms terms;
        private final Rounds<Look> rounds;

        private OfRequests(Rule rule, SortedSet<Integer> lengths, Trial trial, Terms terms, Rounds<Look> rounds) {
            super(rule, lengths, trial);
            this.terms = terms;
            this.rounds = rounds;
        }

        @Override
        void take(TokenTrace trace) {
            if (trace.outcome() != Outcome.COMPLETED && !terms.values().isOfEveryOutcome()) {
                return;
            }
            double[] values = terms.values().of(trace);
            if (values.length == 0) {
                return;
            }
            Look look = new Look(terms.sample(values), RankedValues.mean(values));
            rounds.add(trace.promptTokens(), look)
                    .ifPresent(round -> trial().add(
                                    mean(round.stream().map(Look::sample).toList()),
                                    mean(round.stream().map(Look::level).toList())));
        }

        /** As {@link Observations} adds up, to the last bit. */
        private static double mean(List<Double> values) {
            double sum = 0;
            for (double value : values) {
                sum += value;
            }
            return sum / values.size();
        }
    }

    private static final class OfBlocks extends RuleLooks {

        private final Blocks blocks;

        private OfBlocks(Rule rule, SortedSet<Integer> lengths, Trial trial, int size) {
            super(rule, lengths, trial);
            this.blocks = new Blocks(size);
        }

        @Override
        void take(TokenTrace trace) {
            blocks.add(trace).ifPresent(perToken -> trial().add(perToken, perToken));
        }
    }
}
