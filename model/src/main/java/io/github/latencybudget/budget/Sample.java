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
 * @param observations what the others gave of the rule's metric, by request; as many of each length as of the others where lengths
 *     take turns
 */
record Sample(
        SortedSet<Integer> lengths,
        List<TokenTrace> meant,
        List<TokenTrace> counted,
        int withoutValue,
        Observations observations) {

    private static Sample of(PerRequest metric, SortedSet<Integer> lengths, Measurement measurement) {
        List<TokenTrace> traces = measurement.traces();
        boolean isDrawn = measurement.conditions().workload().drawsPrompts();
        int inFlight = measurement.conditions().sharingAMoment();
        List<TokenTrace> meant =
                traces.stream().filter(t -> lengths.contains(t.promptTokens())).toList();
        List<TokenTrace> counted = meant.stream()
                .filter(t -> metric.isOfEveryOutcome() || t.outcome() == Outcome.COMPLETED)
                .toList();
        List<TokenTrace> given = counted.parallelStream()
                .filter(t -> metric.of(t).length > 0)
                .sorted(Comparator.comparing(TokenTrace::request))
                .toList();
        return new Sample(
                lengths,
                meant,
                counted,
                counted.size() - given.size(),
                Observations.of(
                        metric,
                        isDrawn ? given : inEqualShares(lengths, given),
                        new Rounds<>(lengths, inFlight, isDrawn)));
    }

    /** Where one length was measured longer than another, for another rule's sake, what is beyond the equal share has no part. */
    private static List<TokenTrace> inEqualShares(SortedSet<Integer> lengths, List<TokenTrace> all) {
        Map<Integer, Long> requests =
                all.stream().collect(Collectors.groupingBy(TokenTrace::promptTokens, Collectors.counting()));
        long share = lengths.stream()
                .mapToLong(l -> requests.getOrDefault(l, 0L))
                .min()
                .orElse(0);
        Map<Integer, Long> taken = new HashMap<>();
        return all.stream()
                .filter(t -> taken.merge(t.promptTokens(), 1L, Long::sum) <= share)
                .toList();
    }

    /** {@return what those that have to give a value gave, as many requests of each length as of the others} */
    Distribution values() {
        return observations.all();
    }

    /** {@return how many requests are in so many rounds, each of which is a sample} */
    int inRequests(int rounds) {
        return (int) Math.min(Integer.MAX_VALUE, (long) rounds * observations.roundSize());
    }

    /** {@return how many requests had prompts of this length} */
    long requestsOf(int promptTokens) {
        return meant.stream().filter(t -> t.promptTokens() == promptTokens).count();
    }

    /** The samples of one run, for any thread. Rules that differ only in their limits share one, since to sort the gaps takes longest. */
    static final class Cache {

        private final Measurement measurement;
        private final SortedSet<Integer> measuredLengths;
        private final Map<Key, Sample> samples;
        private final Map<Bounds, Ends> ends = new ConcurrentHashMap<>();

        private record Key(PerRequest metric, SortedSet<Integer> lengths) {}

        /** The best and the worst of a percentile. */
        record Ends(OptionalDouble best, OptionalDouble worst) {}

        /** @param rules what is to be judged: their samples are made at once, before anybody waits for one */
        Cache(Measurement measurement, List<Rule> rules) {
            this.measurement = measurement;
            measuredLengths = measurement.traces().stream()
                    .map(TokenTrace::promptTokens)
                    .collect(Collectors.toCollection(TreeSet::new));
            samples = rules.stream()
                    .flatMap(rule -> Terms.values(rule).map(values -> key(values, rule)).stream())
                    .distinct()
                    .toList()
                    .parallelStream()
                    .collect(Collectors.toUnmodifiableMap(key -> key, this::sample));
        }

        /** @param rule one of those that the samples were made for */
        Sample of(PerRequest values, Rule rule) {
            return samples.get(key(values, rule));
        }

        private Key key(PerRequest values, Rule rule) {
            return new Key(
                    values,
                    measuredLengths.stream().filter(rule::appliesTo).collect(Collectors.toCollection(TreeSet::new)));
        }

        private Sample sample(Key key) {
            return Sample.of(key.metric(), key.lengths(), measurement);
        }

        Ends ends(Bounds bounds) {
            return ends.computeIfAbsent(bounds, b -> new Ends(b.best(), b.worst()));
        }

        SortedSet<Integer> measuredLengths() {
            return measuredLengths;
        }
    }
}
