package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.ServerMetrics.Bucket;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import io.github.latencybudget.trace.ServerMetrics.Range;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {

    private static Histogram histogram(String name, double sum, long... counts) {
        return new Histogram(
                name,
                counts[2],
                sum,
                List.of(new Bucket(0.01, counts[0]), new Bucket(0.1, counts[1]), new Bucket(null, counts[2])));
    }

    private static ServerMetrics metrics(Map<String, Histogram> histograms) {
        return new ServerMetrics("http://host/metrics", new TreeMap<>(histograms));
    }

    @Test
    void aRunHasWhatWasCountedSinceItBegan() {
        ServerMetrics before = metrics(Map.of("TTFT", histogram("ttft", 1.5, 2, 5, 9)));
        ServerMetrics after =
                metrics(Map.of("TTFT", histogram("ttft", 2.25, 2, 8, 13), "E2E", histogram("e2e", 4, 0, 1, 1)));

        assertThat(after.since(before))
                .isEqualTo(
                        metrics(Map.of("TTFT", histogram("ttft", 0.75, 0, 3, 4), "E2E", histogram("e2e", 4, 0, 1, 1))));
    }

    @Test
    void whatCountedNothingOrWasBegunAnewIsAbsent() {
        ServerMetrics before = metrics(Map.of(
                "TTFT", histogram("ttft", 1, 1, 1, 1),
                "ITL", histogram("itl", 1, 5, 5, 5),
                "E2E", histogram("another", 1, 0, 0, 0)));
        ServerMetrics after = metrics(Map.of(
                "TTFT", histogram("ttft", 1, 1, 1, 1),
                "ITL", histogram("itl", 1, 2, 2, 2),
                "E2E", histogram("e2e", 1, 3, 3, 3)));

        assertThat(after.since(before).histograms()).isEmpty();
    }

    @Test
    void aValueLiesBetweenTheBoundsOfItsBucket() {
        Histogram histogram = histogram("ttft", 1, 2, 5, 6);

        assertThat(histogram.range(2)).contains(new Range(0, 0.01));
        assertThat(histogram.range(3)).contains(new Range(0.01, 0.1));
        assertThat(histogram.range(5)).contains(new Range(0.01, 0.1));
        assertThat(histogram.range(6)).contains(new Range(0.1, null));
        assertThat(histogram.range(7)).isEmpty();
        assertThat(histogram.range(0)).isEmpty();
    }
}
