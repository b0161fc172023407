package io.github.latencybudget.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * What a server has counted of its own work, in histograms. Beside what the client saw, which it never changes: the server's times
 * have no network in them, and its counts have the requests of all its clients.
 *
 * @param source where it was read, such as {@code http://host:8000/metrics}
 * @param histograms by what they are about: {@code TTFT}, {@code ITL}, {@code TPOT}, {@code E2E}, {@code queue time} or
 *     {@code mean time per token}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ServerMetrics(String source, SortedMap<String, Histogram> histograms) {

    public ServerMetrics {
        histograms = Collections.unmodifiableSortedMap(new TreeMap<>(histograms));
    }

    /**
     * {@return what was counted since an earlier look; without what has counted nothing since, and what was begun anew, as by a
     * server that was started again}
     */
    public ServerMetrics since(ServerMetrics before) {
        SortedMap<String, Histogram> counted = new TreeMap<>();
        histograms.forEach((about, histogram) -> Optional.ofNullable(before.histograms.get(about))
                .map(histogram::since)
                .orElse(Optional.of(histogram))
                .filter(h -> h.count() > 0)
                .ifPresent(h -> counted.put(about, h)));
        return new ServerMetrics(source, counted);
    }

    /**
     * A histogram of times.
     *
     * @param name the server's own, such as {@code vllm:time_to_first_token_seconds}
     * @param count how many values
     * @param sumSeconds their sum, in seconds
     * @param buckets each with all values up to its bound, in the order of their bounds
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Histogram(String name, long count, double sumSeconds, List<Bucket> buckets) {

        public Histogram {
            buckets = List.copyOf(buckets);
        }

        private Optional<Histogram> since(Histogram before) {
            if (!name.equals(before.name) || buckets.size() != before.buckets.size() || count < before.count) {
                return Optional.empty();
            }
            List<Bucket> counted = new ArrayList<>();
            for (int i = 0; i < buckets.size(); i++) {
                counted.add(new Bucket(
                        buckets.get(i).atMostSeconds(),
                        buckets.get(i).count() - before.buckets.get(i).count()));
            }
            return Optional.of(new Histogram(name, count - before.count, sumSeconds - before.sumSeconds, counted));
        }

        /**
         * {@return between which bounds the value of a rank lies; empty where there is no such value, or no bucket that holds it}
         *
         * @param rank from 1 to {@link #count()}, the smallest first
         */
        public Optional<Range> range(long rank) {
            double above = 0;
            for (Bucket bucket : buckets) {
                if (rank >= 1 && bucket.count() >= rank) {
                    return Optional.of(new Range(above, bucket.atMostSeconds()));
                }
                above = bucket.atMostSeconds() == null ? above : bucket.atMostSeconds();
            }
            return Optional.empty();
        }
    }

    /**
     * All values up to a bound.
     *
     * @param atMostSeconds the bound, in seconds; null for none
     * @param count how many
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Bucket(@Nullable Double atMostSeconds, long count) {}

    /**
     * Where a value lies.
     *
     * @param aboveSeconds above this, or at 0
     * @param atMostSeconds up to this; null where only the other is known
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Range(double aboveSeconds, @Nullable Double atMostSeconds) {}
}
