package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * Looks at the requests of a run as they end, to find out when enough were measured. A verdict that is found here is the one that
 * {@link Budget#evaluate} finds, for both put the requests in the same order to the same test; whatever else keeps a rule from
 * being shown is left to the evaluation.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Looks {

    private final List<RuleLooks> rules;

    Looks(List<Rule> rules, Confidence confidence, SortedSet<Integer> promptTokens, int concurrency) {
        this.rules = rules.stream()
                .map(rule -> new RuleLooks(
                        rule,
                        promptTokens.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new)),
                        concurrency,
                        confidence))
                .toList();
    }

    /**
     * Takes the next request. One that did not complete is passed over.
     *
     * @param trace that of the request whose number is next
     */
    public void add(TokenTrace trace) {
        if (trace.outcome() == Outcome.COMPLETED) {
            rules.forEach(rule -> rule.add(trace));
        }
    }

    /** {@return whether every rule about prompts of this length was shown to hold or to be broken} */
    public boolean isDecided(int promptTokens) {
        return rules.stream().filter(r -> r.rule.appliesTo(promptTokens)).allMatch(r -> r.trial.isDecided());
    }

    private record Look(double share, double level) {}

    private static final class RuleLooks {

        private final Rule rule;
        private final SortedSet<Integer> lengths;
        private final Rounds<Look> rounds;
        private final Trial trial;

        private RuleLooks(Rule rule, SortedSet<Integer> lengths, int concurrency, Confidence confidence) {
            this.rule = rule;
            this.lengths = lengths;
            // A rule about none of the lengths takes no request.
            this.rounds = new Rounds<>(lengths, concurrency);
            this.trial = Trial.of(rule, confidence, rounds.chains());
        }

        private void add(TokenTrace trace) {
            if (!lengths.contains(trace.promptTokens())) {
                return;
            }
            double[] values = rule.metric().of(trace);
            if (values.length == 0) {
                return;
            }
            Look look = new Look(shareBeyond(values), Observations.level(values));
            rounds.add(trace.promptTokens(), look)
                    .ifPresent(round -> trial.add(
                            mean(round.stream().map(Look::share).toList()),
                            mean(round.stream().map(Look::level).toList())));
        }

        private double shareBeyond(double[] values) {
            double limit = rule.limitInUnit();
            boolean lessIsBetter = rule.metric().unit() == Metric.Unit.NANOSECONDS;
            int beyond = 0;
            for (double value : values) {
                beyond += (lessIsBetter ? value > limit : value < limit) ? 1 : 0;
            }
            return beyond / (double) values.length;
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
}
