package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.NanoClock;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that does not come to read takes no more than the system's buffers hold, and loses nothing. */
@Timeout(120)
class SlowReaderTest {

    private static final int EVENTS = 1_000;
    private static final int EVENT_BYTES = 100_000;

    @Test
    void theServerHasToWait() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(request -> answer());
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = ConnectionsTest.options(server.port());
            Connections connections = ConnectionsTest.connections(loop, options);
            Connections.Lease lease = connections.lease().get();
            StreamedAnswer answer = new StreamedAnswer(EVENTS, false);
            CompletableFuture<Call.Ending> ending = new Call(
                            "/", answer, NanoClock.SYSTEM, options.deadlines(), new Failures(options), List.of())
                    .send(
                            CompletableFuture.completedFuture(lease),
                            new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"),
                            connections::lease);
            CountDownLatch busy = new CountDownLatch(1);
            loop.group().execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });

            assertThat(sentUntilItStops(server)).isPositive().isLessThan(EVENTS);
            busy.countDown();

            assertThat(ending.get(60, TimeUnit.SECONDS).reason()).isNull();
            assertThat(answer.chunks().count()).isEqualTo(EVENTS);
        }
    }

    private static int sentUntilItStops(ScriptedServer server) throws InterruptedException {
        int before = 0;
        int unchanged = 0;
        while (unchanged < 50) {
            Thread.sleep(10);
            int sent = server.requests().stream()
                    .mapToInt(r -> r.sentNanos().length)
                    .sum();
            unchanged = sent > 0 && sent == before ? unchanged + 1 : 0;
            before = sent;
        }
        return before;
    }

    private static Answer answer() {
        char[] text = new char[EVENT_BYTES];
        Arrays.fill(text, 'x');
        byte[] event = "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\n"
                .formatted(new String(text))
                .getBytes(StandardCharsets.UTF_8);
        List<Answer.Write> writes = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            writes.add(new Answer.Write(0, event));
        }
        writes.add(new Answer.Write(0, "data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8)));
        return new Answer(
                200,
                Map.of("content-type", "text/event-stream"),
                writes,
                Answer.End.KEEP_ALIVE,
                Answer.Framing.CHUNKED);
    }
}
