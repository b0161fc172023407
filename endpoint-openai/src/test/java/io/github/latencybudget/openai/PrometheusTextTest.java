package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.ServerMetrics.Bucket;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {

    private static ServerMetrics read(String text) {
        return PrometheusText.read(text, "http://host/metrics");
    }

    @Test
    void theLabelsOfAHistogramAreAddedUp() {
        ServerMetrics metrics = read("""
                # HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
                # TYPE vllm:time_to_first_token_seconds histogram
                vllm:time_to_first_token_seconds_bucket{engine="0",le="0.001",model_name="a"} 1.0
                vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="a"} 3.0
                vllm:time_to_first_token_seconds_count{engine="0",model_name="a"} 3.0
                vllm:time_to_first_token_seconds_sum{engine="0",model_name="a"} 0.5
                vllm:time_to_first_token_seconds_created{engine="0",model_name="a"} 1.7e+09
                vllm:time_to_first_token_seconds_bucket{engine="1",le="0.001",model_name="a, le=\\"7\\" }"} 2.0 1700000000
                vllm:time_to_first_token_seconds_bucket{engine="1",le="+Inf",model_name="a, le=\\"7\\" }"} 2.0
                vllm:time_to_first_token_seconds_count{engine="1",model_name="a, le=\\"7\\" }"} 2.0
                vllm:time_to_first_token_seconds_sum{engine="1",model_name="a, le=\\"7\\" }"} 0.25
                """);

        assertThat(metrics.source()).isEqualTo("http://host/metrics");
        assertThat(metrics.histograms())
                .containsOnlyKeys("TTFT")
                .containsValue(new Histogram(
                        "vllm:time_to_first_token_seconds",
                        5,
                        0.75,
                        List.of(new Bucket(0.001, 3), new Bucket(null, 5))));
    }

    @Test
    void ofTwoNamesForTheSameTheNewerIsTaken() {
        String old =
                "vllm:time_per_output_token_seconds_bucket{le=\"1\"} 4\nvllm:time_per_output_token_seconds_count 4\n";

        assertThat(read(old).histograms().get("ITL").name()).isEqualTo("vllm:time_per_output_token_seconds");
        assertThat(read(old + old.replace("time_per_output_token", "inter_token_latency"))
                        .histograms()
                        .get("ITL")
                        .name())
                .isEqualTo("vllm:inter_token_latency_seconds");
    }

    @Test
    void otherServersHaveOtherNames() {
        assertThat(read("sglang:e2e_request_latency_seconds_bucket{le=\"1\"} 4\n"
                                + "sglang:queue_time_seconds_bucket{le=\"1\"} 4\n")
                        .histograms())
                .containsOnlyKeys("E2E", "queue time");
        assertThat(read("tgi_request_duration_bucket{le=\"1\"} 4\n"
                                + "tgi_request_mean_time_per_token_duration_bucket{le=\"1\"} 4\n")
                        .histograms())
                .containsOnlyKeys("E2E", "mean time per token");
    }

    @Test
    void whatIsNoHistogramOrNoNumberIsLeftOut() {
        assertThat(read("""
                                vllm:time_to_first_token_seconds{quantile="0.5"} 0.1
                                vllm:time_to_first_token_seconds_sum NaN
                                vllm:e2e_request_latency_seconds_bucket{le="much"} 4
                                vllm:e2e_request_latency_seconds_bucket{le="1"} many
                                vllm:e2e_request_latency_seconds_bucket 4
                                <html>not found</html>
                                """).histograms()).isEmpty();
    }

    @Test
    void aPageForPeopleIsNoSuchPage() {
        assertThat(PrometheusText.isSuch("""
                <!DOCTYPE html>
                <style>
                html { color-scheme: light dark; }
                </style>
                <p>If you see this page,
                the server is working.</p>
                """)).isFalse();
    }

    @Test
    void oneOfSamplesAloneIs() {
        assertThat(PrometheusText.isSuch("up 1\n")).isTrue();
        assertThat(PrometheusText.isSuch("request_seconds{quantile=\"0.5\"} NaN\n"))
                .isTrue();
        assertThat(PrometheusText.isSuch("request_seconds_bucket{le=\"+Inf\"} 3 1700000000\n"))
                .isTrue();
        assertThat(PrometheusText.isSuch("\n")).as("nothing is counted yet").isTrue();
    }

    @Test
    void labelsMayBeLong() {
        String labels =
                "a=\"%s\",b=\"%s\",%s".formatted("x".repeat(50_000), "\\\\".repeat(50_000), "c=\"\",".repeat(50_000));

        assertThat(read("vllm:time_to_first_token_seconds_bucket{%sle=\"1\"} 4\n".formatted(labels))
                        .histograms()
                        .get("TTFT")
                        .buckets())
                .containsExactly(new Bucket(1.0, 4));
    }
}
