package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a run holds for a rule.
 *
 * @param lengths the prompt lengths that were measured and that the rule is about
 * @param meant the requests that the rule is about
 * @param completed those of them that completed
 * @param values what they gave of the rule's metric
 */
record Sample(SortedSet<Integer> lengths, List<TokenTrace> meant, List<TokenTrace> completed, Distribution values) {

    private static Sample of(Metric metric, SortedSet<Integer> lengths, List<TokenTrace> traces) {
        List<TokenTrace> meant =
                traces.stream().filter(t -> lengths.contains(t.promptTokens())).toList();
        List<TokenTrace> completed =
                meant.stream().filter(t -> t.outcome() == Outcome.COMPLETED).toList();
        return new Sample(lengths, meant, completed, Distribution.of(metric, completed));
    }

    /** The samples of one run. Rules that differ only in their limits share one, since to sort the gaps takes longest. */
    static final class Cache {

        private final List<TokenTrace> traces;
        private final SortedSet<Integer> measuredLengths;
        private final Map<Key, Sample> samples = new HashMap<>();

        private record Key(Metric metric, SortedSet<Integer> lengths) {}

        Cache(Measurement measurement) {
            traces = measurement.traces();
            measuredLengths =
                    traces.stream().map(TokenTrace::promptTokens).collect(Collectors.toCollection(TreeSet::new));
        }

        Sample of(Rule rule) {
            SortedSet<Integer> lengths =
                    measuredLengths.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new));
            return samples.computeIfAbsent(
                    new Key(rule.metric(), lengths), k -> Sample.of(k.metric(), k.lengths(), traces));
        }

        SortedSet<Integer> measuredLengths() {
            return measuredLengths;
        }
    }
}
