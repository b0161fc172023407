package io.github.latencybudget.budget;

import io.github.latencybudget.metric.RankedValues;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/** Looks at the requests of a run for one rule. */
abstract sealed class RuleLooks {

    private final Rule rule;
    private final IntPredicate isMeant;
    private final Trial trial;

    private RuleLooks(Rule rule, IntPredicate isMeant, Trial trial) {
        this.rule = rule;
        this.isMeant = isMeant;
        this.trial = trial;
    }

    /** Of a run with these lengths in turn. */
    static RuleLooks of(Rule rule, Confidence confidence, Collection<Integer> promptTokens, int concurrency) {
        SortedSet<Integer> lengths =
                promptTokens.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new));
        // A rule about none of the lengths takes no request.
        return of(rule, confidence, lengths::contains, new Rounds<>(lengths, concurrency));
    }

    /** Of a run whose requests draw their lengths. */
    static RuleLooks ofDrawn(Rule rule, Confidence confidence, int concurrency) {
        return of(rule, confidence, rule::appliesTo, new Rounds<>(Set.of(), concurrency, true));
    }

    private static RuleLooks of(Rule rule, Confidence confidence, IntPredicate isMeant, Rounds<Look> rounds) {
        Terms terms = Terms.of(rule);
        return rule instanceof SystemThroughputRule
                ? new OfBlocks(rule, isMeant, Trial.of(terms, confidence, 1), rounds.size())
                : new OfRequests(rule, isMeant, Trial.of(terms, confidence, rounds.chains()), terms, rounds);
    }

    final Rule rule() {
        return rule;
    }

    final Trial trial() {
        return trial;
    }

    final void add(TokenTrace trace) {
        if (isMeant.test(trace.promptTokens())) {
            take(trace);
        }
    }

    abstract void take(TokenTrace trace);

    private record Look(double sample, double level) {}

    private static final class OfRequests extends RuleLooks {

        private final Terms terms;
        private final Rounds<Look> rounds;

        private OfRequests(Rule rule, IntPredicate isMeant, Trial trial, Terms terms, Rounds<Look> rounds) {
            super(rule, isMeant, trial);
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

        private OfBlocks(Rule rule, IntPredicate isMeant, Trial trial, int size) {
            super(rule, isMeant, trial);
            this.blocks = new Blocks(size);
        }

        @Override
        void take(TokenTrace trace) {
            blocks.add(trace).ifPresent(perToken -> trial().add(perToken, perToken));
        }
    }
}
