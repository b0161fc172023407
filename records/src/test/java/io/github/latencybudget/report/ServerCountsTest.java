package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.ServerMetrics.Bucket;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCountsTest {

    private static final long MILLI = 1_000_000;

    /** 20 requests with a TTFT of 200 ms. */
    private static List<Fact> facts(Map<String, Histogram> histograms) {
        return ServerCounts.of(run(histograms));
    }

    private static Measurement run(Map<String, Histogram> histograms) {
        Measurement m = Samples.steady("tiny", 20, 16, r -> 200 * MILLI);
        return new Measurement(
                m.conditions(),
                m.environment(),
                m.warmUp(),
                m.traces(),
                m.peakDeviceMemoryBytes(),
                m.findings(),
                m.steps(),
                new RunWatch(
                        GuardSettings.DEFAULT,
                        Optional.empty(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.empty(),
                        Optional.of(new ServerMetrics("http://host/metrics", new TreeMap<>(histograms)))));
    }

    private static Histogram histogram(String name, double sum, long first, long second, long all) {
        return new Histogram(
                name, all, sum, List.of(new Bucket(0.1, first), new Bucket(0.25, second), new Bucket(null, all)));
    }

    @Test
    void whatItCountsStandsBesideWhatTheClientSaw() {
        assertThat(facts(Map.of(
                        "TTFT", histogram("vllm:time_to_first_token_seconds", 3.7, 0, 20, 20),
                        "queue time", histogram("vllm:request_queue_time_seconds", 0.2, 18, 18, 20))))
                .containsExactly(
                        new Fact("Read at", "http://host/metrics"),
                        new Fact(
                                "TTFT",
                                "P50 from 100.0 ms to 250.0 ms, P95 from 100.0 ms to 250.0 ms, mean 185.0 ms of 20 values (vllm:time_to_first_token_seconds); the client saw P50 200.0 ms, P95 200.0 ms"),
                        new Fact(
                                "queue time",
                                "P50 up to 100.0 ms, P95 over 250.0 ms, mean 10.0 ms of 20 values (vllm:request_queue_time_seconds)"));
    }

    @Test
    void anotherNumberOfRequestsIsSaid() {
        assertThat(facts(Map.of("E2E", histogram("e2e", 9, 0, 31, 31))))
                .contains(
                        new Fact(
                                "Whose requests",
                                "the server counts 31 where 20 of this run completed: others are among them, of other clients or such as did not complete here"));
        assertThat(facts(Map.of("TTFT", histogram("ttft", 9, 0, 19, 19))))
                .contains(
                        new Fact(
                                "Whose requests",
                                "the server counts 19 where 20 of this run completed: it had not counted all yet, or several servers are behind this address"));
    }

    @Test
    void aServerThatCountedNothingIsSaid() {
        assertThat(facts(Map.of()))
                .containsExactly(
                        new Fact("Read at", "http://host/metrics"),
                        new Fact("Counted", "nothing that is known here, from the beginning of the run to its end"));
    }

    @Test
    void aRunThatAskedNoServerHasNone() {
        assertThat(ServerCounts.of(Samples.steady("tiny", 20, 16, r -> 200 * MILLI)))
                .isEmpty();
    }

    @Test
    void theyStandOnThePage(@TempDir Path folder) throws IOException {
        RecordStore store = Samples.store(folder);
        store.start(Samples.gate("counted"), "counted")
                .measured(run(Map.of("E2E", histogram("vllm:e2e_request_latency_seconds", 9, 0, 20, 20))));
        Report.write(store, folder);

        Element server =
                Jsoup.parse(Files.readString(folder.resolve("index.html"))).selectFirst(".server");

        assertThat(server.previousElementSibling().text()).isEqualTo("What the server counted");
        assertThat(server.select("dt").eachText()).containsExactly("Read at", "E2E");
        assertThat(server.select("dd").get(1).text())
                .isEqualTo(
                        "P50 from 100.0 ms to 250.0 ms, P95 from 100.0 ms to 250.0 ms, mean 450.0 ms of 20 values (vllm:e2e_request_latency_seconds); the client saw P50 500.0 ms, P95 500.0 ms");
    }
}
