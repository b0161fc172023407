package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.ServerMetrics;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServerPageTest {

    private final AtomicInteger streams = new AtomicInteger();
    private final AtomicReference<Answer> broken = new AtomicReference<>();

    /** Counts its streams as vLLM does, each with a TTFT of 20 ms. */
    private Function<ServedRequest, Answer> counting() {
        OpenAiScript script = new OpenAiScript(0, 0);
        return request -> {
            if (request.path().equals("/metrics")) {
                return broken.get() == null
                        ? Answer.of(200, "text/plain", """
                                vllm:time_to_first_token_seconds_bucket{le="0.01"} 0.0
                                vllm:time_to_first_token_seconds_bucket{le="0.05"} %1$d.0
                                vllm:time_to_first_token_seconds_bucket{le="+Inf"} %1$d.0
                                vllm:time_to_first_token_seconds_sum %2$s
                                vllm:time_to_first_token_seconds_count %1$d.0
                                """.formatted(streams.get(), streams.get() * 0.02))
                        : broken.get();
            }
            if (request.body().contains("\"stream\":true")) {
                streams.incrementAndGet();
            }
            return script.apply(request);
        };
    }

    @Test
    void thePageIsReadWhenItIsAsked() {
        try (ScriptedServer server = ScriptedServer.start(counting());
                TargetSession session = Requests.open(
                        server.url(),
                        Map.of("metrics", server.url() + "/metrics", "keyEnv", "KEY"),
                        Map.of("KEY", "canary-1"))) {
            ServerMetrics before = session.serverMetrics().orElseThrow();
            Requests.run(session, 8, 4, true, 1);
            Requests.run(session, 8, 4, true, 2);

            ServerMetrics run = session.serverMetrics().orElseThrow().since(before);

            assertThat(run.source()).isEqualTo(server.url() + "/metrics");
            assertThat(run.histograms()).containsOnlyKeys("TTFT");
            assertThat(run.histograms().get("TTFT").count()).isEqualTo(2);
            assertThat(run.histograms().get("TTFT").range(1)).contains(new ServerMetrics.Range(0.01, 0.05));
            assertThat(server.requests())
                    .filteredOn(r -> r.path().equals("/metrics"))
                    .allSatisfy(r -> assertThat(r.header("authorization")).isEqualTo("Bearer canary-1"));
        }
    }

    @Test
    void anotherServerIsSentNoKey() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                ScriptedServer other = ScriptedServer.start(counting());
                TargetSession session = Requests.open(
                        server.url(), Map.of("metrics", other.url(), "keyEnv", "KEY"), Map.of("KEY", "canary-1"))) {
            assertThat(session.serverMetrics()).isPresent();
            assertThat(other.requests()).isNotEmpty().allSatisfy(r -> {
                assertThat(r.path()).isEqualTo("/metrics");
                assertThat(r.header("authorization")).isEmpty();
            });
        }
    }

    @Test
    void aPageOfAnotherKindIsSaidAtOnce() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            assertThatThrownBy(() -> Requests.open(server.url(), Map.of("metrics", server.url() + "/v1/models")))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            server.url()
                                    + "/v1/models, which the option metrics names, is no page for Prometheus; correct it to where the server counts its requests, or leave it out");
        }
    }

    @Test
    void aPageThatIsNotThereIsSaidAtOnce() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            assertThatThrownBy(() -> Requests.open(server.url(), Map.of("metrics", server.url() + "/nowhere")))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "404 from %s/nowhere, which the option metrics names; correct it to where the server counts its requests for Prometheus, or leave it out"
                                    .formatted(server.url()));
            assertThatThrownBy(() -> Requests.open(server.url(), Map.of("metrics", "http://localhost:1")))
                    .hasMessageStartingWith("http://localhost:1: nothing listens there (")
                    .hasMessageEndingWith("; that is what the option metrics names");
        }
    }

    @Test
    void withoutTheOptionNobodyAsks() {
        try (ScriptedServer server = ScriptedServer.start(counting());
                TargetSession session = Requests.open(server.url(), Map.of())) {
            assertThat(session.serverMetrics()).isEmpty();
        }
    }

    @Test
    void onePageThatCannotBeReadLaterIsAnError() {
        try (ScriptedServer server = ScriptedServer.start(counting());
                TargetSession session = Requests.open(server.url(), Map.of("metrics", server.url() + "/metrics"))) {
            broken.set(Answer.of(503, "text/plain", "busy"));

            assertThatThrownBy(session::serverMetrics).hasMessageStartingWith("503 from " + server.url() + "/metrics");
        }
    }
}
