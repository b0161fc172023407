package io.github.latencybudget.target.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.target.Generation;
import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.target.TargetSpec;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ConnectionsTest {

    @Test
    void tenThousandRefusalsAreTenThousandFailures() throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        OpenAiOptions options = options(port);
        try (EventLoop loop = EventLoop.start()) {
            Connector connector =
                    new Connector(loop, options.endpoint(), Optional.empty(), NanoClock.SYSTEM, 10_000_000_000L);
            Connections connections = new Connections(connector::connect);
            int refused = 0;
            // In batches, since each has a file descriptor while it is tried.
            for (int batch = 0; batch < 100; batch++) {
                List<CompletableFuture<Connections.Lease>> leases = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    leases.add(connections.lease());
                }
                for (CompletableFuture<Connections.Lease> lease : leases) {
                    refused += isRefused(lease, options) ? 1 : 0;
                }
            }
            assertThat(refused).isEqualTo(10_000);
        }
    }

    static OpenAiOptions options(int port) {
        return OpenAiOptions.of(
                new TargetSpec("openai:http://localhost:" + port + "?model=m", "cpu", "", 1, new TreeMap<>()),
                name -> Optional.empty());
    }

    private static boolean isRefused(CompletableFuture<Connections.Lease> lease, OpenAiOptions options)
            throws InterruptedException {
        try {
            lease.get();
            return false;
        } catch (ExecutionException e) {
            return new Failures(options).connecting(e.getCause()).contains("nothing listens there");
        }
    }

    @Test
    void manyRequestsAreInFlightWithoutAThreadEach() throws Exception {
        int requests = 200;
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(200_000_000, 1_000_000));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            List<Generation> generations = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                generations.add(session.prepare(new GenerationRequest(8, 5, true, Sampling.GREEDY, i)));
            }
            int before = Thread.activeCount();
            List<TokenRecorder> recorders = new ArrayList<>();
            List<CompletableFuture<?>> done = new ArrayList<>();
            for (Generation generation : generations) {
                TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 5);
                recorder.start(0, 8, 5, true);
                recorders.add(recorder);
                done.add(generation.start(recorder));
            }
            assertThat(Thread.activeCount() - before).isLessThan(10);
            CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

            assertThat(recorders)
                    .allSatisfy(r -> assertThat(r.end().outputTokens()).isEqualTo(5));
        }
    }

    @Test
    void aCancelledRequestTellsNothingMore() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(3_600_000_000_000L, 0));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Generation generation = session.prepare(new GenerationRequest(8, 5, true, Sampling.GREEDY, 1));
            TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 5);
            recorder.start(0, 8, 5, true);
            CompletableFuture<?> done = generation.start(recorder);

            assertThat(done.cancel(true)).isTrue();
            assertThat(recorder.fail("cancelled").outputTokens()).isZero();
        }
    }
}
