package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that the server closes before, between and while requests are sent. */
@Timeout(120)
class ClosedConnectionsTest {

    private static boolean isMeasured(ServedRequest request) {
        return request.body().contains("\"stream\":true");
    }

    private static long measured(ScriptedServer server) {
        return server.requests().stream()
                .filter(ClosedConnectionsTest::isMeasured)
                .count();
    }

    /** One in flight, so that the others wait, and whenever one arrives the server closes what they have. */
    @Test
    void whatWaitsInTheQueueWhileItsConnectionIsClosedIsSentOnceOverAnother() {
        OpenAiScript script = new OpenAiScript(20_000_000, 0);
        AtomicReference<ScriptedServer> started = new AtomicReference<>();
        Function<ServedRequest, Answer> closing = request -> {
            if (isMeasured(request)) {
                started.get().closeIdle();
            }
            return script.apply(request);
        };
        try (ScriptedServer server = ScriptedServer.start(closing)) {
            started.set(server);
            try (TargetSession session = Requests.open(server.url(), Map.of())) {
                Scenario scenario = new Scenario(
                        new TreeSet<>(Set.of(8)),
                        Prompts.IN_TURN,
                        30,
                        Optional.empty(),
                        2,
                        Sampling.GREEDY,
                        new Load.Open(new Arrivals.Constant(200), OptionalInt.of(1), 100),
                        WarmUpPlan.DEFAULT);
                List<TokenTrace> traces = new LoadDriver(
                                session,
                                scenario,
                                Progress.NONE,
                                Optional.empty(),
                                false,
                                GuardSettings.DEFAULT.without(Guard.MAX_CLIENT_ERROR_SHARE),
                                0)
                        .run()
                        .traces();

                assertThat(traces.stream()
                                .collect(Collectors.groupingBy(
                                        t -> t.outcome() + t.reason().orElse(""), Collectors.counting())))
                        .containsExactly(entry(Outcome.COMPLETED.name(), 30L));
                assertThat(prompts(server)).as("each is sent once").doesNotHaveDuplicates();
                assertThat(server.connections()).as("hardly one is used again").isGreaterThan(30);
            }
        }
    }

    private static List<String> prompts(ScriptedServer server) {
        return server.requests().stream()
                .filter(ClosedConnectionsTest::isMeasured)
                .map(ServedRequest::body)
                .toList();
    }

    /** The next request would come between the answer and the close, and be lost. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\nconnection: close", "HTTP/1.0 200 OK"})
    void aConnectionThatTheServerWillCloseIsNotUsedAgain(String head) {
        OpenAiScript script = new OpenAiScript(0, 0);
        Function<ServedRequest, Answer> closing = request -> {
            Answer answer = script.apply(request);
            if (!isMeasured(request)) {
                return answer;
            }
            String body = answer.writes().stream()
                    .map(w -> new String(w.bytes(), StandardCharsets.UTF_8))
                    .collect(Collectors.joining());
            String all = "%s\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n%s"
                    .formatted(head, body.length(), body);
            return new Answer(200, Map.of(), List.of(), Answer.End.STALL, Answer.Framing.RAW).then(0, all);
        };
        try (ScriptedServer server = ScriptedServer.start(closing);
                TargetSession session = Requests.open(server.url(), Map.of())) {
            for (int i = 0; i < 3; i++) {
                TokenTrace trace = Requests.run(session, 8, 4, true, i);

                assertThat(trace.reason()).isEmpty();
            }
            assertThat(server.connections())
                    .as("one that asked, one that counted words and was sent the first, and one for each other")
                    .isEqualTo(4);
        }
    }

    /** The thread that reads does nothing until then, and so knows of no close when it writes. */
    private static CountDownLatch hold(EventLoop loop) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        loop.group().execute(() -> {
            begun.countDown();
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        begun.await();
        return latch;
    }

    /** @param isReset so that nothing can be written any more */
    private static CompletableFuture<Call.Ending> sentOverClosed(
            EventLoop loop, boolean isReset, java.util.function.Supplier<CompletableFuture<Connections.Lease>> another)
            throws Exception {
        try (ServerSocket closing = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            OpenAiOptions options = ConnectionsTest.options(closing.getLocalPort());
            Connections.Lease lease =
                    ConnectionsTest.connections(loop, options).lease().get();
            Socket accepted = closing.accept();
            CountDownLatch held = hold(loop);
            try {
                if (isReset) {
                    accepted.setSoLinger(true, 0);
                }
                accepted.close();
                return ConnectionsTest.call(options)
                        .send(CompletableFuture.completedFuture(lease), ConnectionsTest.request(), another);
            } finally {
                held.countDown();
            }
        }
    }

    @Test
    void whatCouldNotBeWrittenGoesOverAnotherConnection() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                EventLoop loop = EventLoop.start()) {
            Connections open = ConnectionsTest.connections(loop, ConnectionsTest.options(server.port()));

            Call.Ending ending = sentOverClosed(loop, true, open::lease).get(60, TimeUnit.SECONDS);

            assertThat(ending.reason()).isNull();
            assertThat(measured(server)).isEqualTo(1);
        }
    }

    @Test
    void whatWasWrittenIsNotSentAgainThoughTheServerHadClosed() throws Exception {
        try (EventLoop loop = EventLoop.start()) {
            Call.Ending ending = sentOverClosed(loop, false, () -> {
                        throw new AssertionError("sent again");
                    })
                    .get(60, TimeUnit.SECONDS);

            assertThat(ending.reason()).contains("the connection broke after 0 chunks");
        }
    }

    /** Only a measured request is not sent again. */
    @Test
    void whatIsAskedBeforeIsAskedAgainWhereTheServerClosedWithoutAWord() throws Exception {
        OpenAiScript script = new OpenAiScript(0, 0);
        try (ScriptedServer server =
                        ScriptedServer.start(request -> script.apply(request).ending(Answer.End.CLOSE));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Generation generation = session.prepare(new GenerationRequest(8, 4, true, Sampling.GREEDY, 1));

            assertThat(generation.promptTokens()).isEqualTo(8);
            generation.discard();
        }
    }

    @Test
    void whatIsAskedOverAConnectionMadeForItIsAskedOnce() {
        try (ScriptedServer server = ScriptedServer.start(
                request -> new Answer(200, Map.of(), List.of(), Answer.End.BREAK, Answer.Framing.RAW))) {
            assertThatThrownBy(() -> Requests.open(server.url(), Map.of()))
                    .hasMessageContaining("the connection broke after 0 chunks (it was closed)");
            assertThat(server.requests()).hasSize(1);
        }
    }
}
