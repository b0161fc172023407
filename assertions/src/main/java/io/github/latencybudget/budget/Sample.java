package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What a run holds for a rule.
 *
 * @param lengths the prompt lengths that were measured and that the rule is about
 * @param meant the requests that the rule is about
 * @param counted those of them that have to give a value: all, or those that completed
 * @param withoutValue how many of those gave none
 * @param values what the others gave of the rule's metric, as many requests of each length as of the others
 * @param observations the same, by request
 */
record Sample(
        SortedSet<Integer> lengths,
        List<TokenTrace> meant,
        List<TokenTrace> counted,
        int withoutValue,
        Distribution values,
        Observations observations) {

    private static Sample of(PerRequest metric, SortedSet<Integer> lengths, List<TokenTrace> traces, int inFlight) {
        List<TokenTrace> meant =
                traces.stream().filter(t -> lengths.contains(t.promptTokens())).toList();
        List<TokenTrace> counted = meant.stream()
                .filter(t -> metric.isOfEveryOutcome() || t.outcome() == Outcome.COMPLETED)
                .toList();
        List<Given> given = counted.stream()
                .sorted(Comparator.comparing(TokenTrace::request))
                .map(t -> new Given(t, metric.of(t)))
                .filter(g -> g.values().length > 0)
                .toList();
        List<Given> equal = inEqualShares(lengths, given);
        double[][] byRequest = equal.stream().map(Given::values).toArray(double[][]::new);
        return new Sample(
                lengths,
                meant,
                counted,
                counted.size() - given.size(),
                Distribution.of(byRequest),
                Observations.of(metric, equal.stream().map(Given::trace).toList(), byRequest, lengths, inFlight));
    }

    private record Given(TokenTrace trace, double[] values) {}

    /** Where one length was measured longer than another, for another rule's sake, what is beyond the equal share has no part. */
    private static List<Given> inEqualShares(SortedSet<Integer> lengths, List<Given> all) {
        Map<Integer, Long> requests =
                all.stream().collect(Collectors.groupingBy(g -> g.trace().promptTokens(), Collectors.counting()));
        long share = lengths.stream()
                .mapToLong(l -> requests.getOrDefault(l, 0L))
                .min()
                .orElse(0);
        Map<Integer, Long> taken = new HashMap<>();
        return all.stream()
                .filter(g -> taken.merge(g.trace().promptTokens(), 1L, Long::sum) <= share)
                .toList();
    }

    /** {@return how many requests had prompts of this length} */
    long requestsOf(int promptTokens) {
        return meant.stream().filter(t -> t.promptTokens() == promptTokens).count();
    }

    /** The samples of one run, for any thread. Rules that differ only in their limits share one, since to sort the gaps takes longest. */
    static final class Cache {

        private final List<TokenTrace> traces;
        private final int inFlight;
        private final SortedSet<Integer> measuredLengths;
        private final Map<Key, Sample> samples = new ConcurrentHashMap<>();
        private final Map<Bounds, Ends> ends = new ConcurrentHashMap<>();

        private record Key(PerRequest metric, SortedSet<Integer> lengths) {}

        /** The best and the worst of a percentile. */
        record Ends(OptionalDouble best, OptionalDouble worst) {}

        Cache(Measurement measurement) {
            traces = measurement.traces();
            inFlight = Math.max(1, measurement.conditions().concurrency());
            measuredLengths =
                    traces.stream().map(TokenTrace::promptTokens).collect(Collectors.toCollection(TreeSet::new));
        }

        Sample of(PerRequest values, Rule rule) {
            SortedSet<Integer> lengths =
                    measuredLengths.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new));
            return samples.computeIfAbsent(
                    new Key(values, lengths), k -> Sample.of(k.metric(), k.lengths(), traces, inFlight));
        }

        Ends ends(Bounds bounds) {
            return ends.computeIfAbsent(bounds, b -> new Ends(b.best(), b.worst()));
        }

        SortedSet<Integer> measuredLengths() {
            return measuredLengths;
        }
    }
}
