package io.github.latencybudget.llama;

import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Finding;
import io.github.latencybudget.llama.KvCacheAnalysis.Kind;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds memory that grows, from what was read of it alone. A cache is allocated as a whole before the prefill, so none should. What
 * a device says of its memory also moves for other reasons, so the median of the first third of readings is compared with that
 * of the last, and growth counts from {@link #TOLERANCE_BYTES} on, and from half of what one more cached token, or one more
 * cache, would take.
 */
final class KvCacheGrowth {

    /** Growth up to this is taken for noise: what Java and PyTorch keep for later. */
    static final long TOLERANCE_BYTES = 8L << 20;

    /** Three in each third: with fewer, one odd reading would decide. */
    private static final int LEAST = 9;

    private KvCacheGrowth() {}

    /** @param notes gets what cannot be judged, and what would not be seen */
    static List<Finding> findings(Expected expected, List<Step> steps, List<String> notes) {
        List<Step> judged = steps.stream()
                .filter(s -> s.generation() > 0 && s.memoryBytes().isPresent())
                .toList();
        if (judged.isEmpty()) {
            notes.add("growth of memory is not judged: it cannot be read here");
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        byStep(expected, generations(judged), notes).ifPresent(findings::add);
        byGeneration(expected, generations(judged), notes).ifPresent(findings::add);
        return findings;
    }

    /** {@return the memory after each decode step, generation by generation} */
    private static List<long[]> generations(List<Step> steps) {
        return steps.stream()
                .mapToInt(Step::generation)
                .distinct()
                .mapToObj(g -> steps.stream()
                        .filter(s -> s.generation() == g && s.step() > 0)
                        .mapToLong(s -> s.memoryBytes().orElseThrow())
                        .toArray())
                .toList();
    }

    /** A leak is in every generation, an odd reading is not. */
    private static Optional<Finding> byStep(Expected expected, List<long[]> generations, List<String> notes) {
        int steps = generations.stream().mapToInt(g -> g.length).min().orElse(0);
        if (steps < LEAST) {
            notes.add(String.format(
                    Locale.ROOT,
                    "growth by step is not judged: it takes %d decode steps, and there are %d; ask for %d output tokens",
                    LEAST,
                    steps,
                    LEAST + 1));
            return Optional.empty();
        }
        long growth =
                median(generations.stream().mapToLong(KvCacheGrowth::growth).toArray());
        return judge(
                Kind.GROWTH_BY_STEP,
                growth,
                distance(steps),
                expected.bytesPerToken(),
                "decode step",
                "the keys and values of one token",
                expected.cached()
                        ? "the cache is allocated before the prefill, so see what a step allocates and does not free"
                        : "there is no cache, so see what a step keeps of the one before",
                notes);
    }

    private static Optional<Finding> byGeneration(Expected expected, List<long[]> generations, List<String> notes) {
        long[] ends = generations.stream()
                .filter(g -> g.length > 0)
                .mapToLong(g -> g[g.length - 1])
                .toArray();
        if (ends.length < LEAST) {
            notes.add(String.format(
                    Locale.ROOT,
                    "growth by generation is not judged: it takes %d generations with decode steps, and there are %d",
                    LEAST,
                    ends.length));
            return Optional.empty();
        }
        return judge(
                Kind.GROWTH_BY_GENERATION,
                growth(ends),
                distance(ends.length),
                expected.places() * expected.bytesPerToken(),
                "generation",
                "the keys and values of one sequence",
                "each gives its cache up or hands it to the next, so see what outlives a generation",
                notes);
    }

    private static Optional<Finding> judge(
            Kind kind, long growth, int distance, long unit, String per, String what, String next, List<String> notes) {
        double least = Math.max(TOLERANCE_BYTES, unit / 2. * distance);
        if (growth <= least) {
            notes.add(String.format(
                    Locale.ROOT,
                    "memory moved by %,d bytes per %s; from %,d on it would be a finding (%s: %,d bytes)",
                    growth / distance,
                    per,
                    (long) Math.ceil(least / distance),
                    what,
                    unit));
            return Optional.empty();
        }
        return Optional.of(new Finding(
                kind,
                String.format(
                        Locale.ROOT,
                        "memory grew by %,d bytes per %s, %,d bytes within %d (%s: %,d bytes): %s",
                        growth / distance,
                        per,
                        growth,
                        distance,
                        what,
                        unit,
                        next)));
    }

    /** From the first third to the last. */
    private static long growth(long[] values) {
        int third = values.length / 3;
        return median(Arrays.copyOfRange(values, values.length - third, values.length))
                - median(Arrays.copyOf(values, third));
    }

    /** Between the middles of the two. */
    private static int distance(int values) {
        return values - values / 3;
    }

    private static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
