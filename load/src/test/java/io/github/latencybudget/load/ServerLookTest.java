package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.ServerMetrics.Bucket;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The server is asked before the run and after it. */
class ServerLookTest {

    private final AtomicInteger requests = new AtomicInteger();
    private final ScriptedSession session = new ScriptedSession(1, p -> {}, prompt -> requests.incrementAndGet());

    private ServerMetrics counted() {
        int n = requests.get();
        return new ServerMetrics(
                "a page",
                new TreeMap<>(Map.of("TTFT", new Histogram("ttft", n, n * 0.5, List.of(new Bucket(null, n))))));
    }

    private Measurement run() {
        Scenario scenario =
                new Scenario(new TreeSet<>(List.of(8)), 5, 2, Sampling.GREEDY, 1, new WarmUpPlan(1_000_000, 0, 3));
        return new LoadDriver(session, scenario, Progress.NONE).run();
    }

    @Test
    void whatItCountedInTheRunStandsWithItAndNotTheWarmUp() {
        session.counts = () -> Optional.of(counted());

        ServerMetrics server = run().watch().server().orElseThrow();

        assertThat(requests).hasValue(8);
        assertThat(server.histograms().get("TTFT"))
                .isEqualTo(new Histogram("ttft", 5, 2.5, List.of(new Bucket(null, 5))));
    }

    @Test
    void aServerThatCannotBeAskedAnyMoreLeavesTheCountsOutAndTheRecordSaysWhy() {
        session.counts = () -> {
            if (requests.get() > 3) {
                throw new MeasurementException("503 from\na page");
            }
            return Optional.of(counted());
        };

        Measurement run = run();

        assertThat(run.completed()).hasSize(5);
        assertThat(run.watch().server()).isEmpty();
        assertThat(run.environment().details()).containsEntry("server metrics", "could not be read: 503 from a page");
    }

    @Test
    void whereNobodyIsAskedNothingIsSaid() {
        Measurement run = run();

        assertThat(run.watch().server()).isEmpty();
        assertThat(run.environment().details()).doesNotContainKey("server metrics");
    }
}
