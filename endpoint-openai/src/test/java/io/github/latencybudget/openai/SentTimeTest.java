package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.latencybudget.trace.NanoClock;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a request is sent: with its last byte, which a server that does not read keeps waiting. */
@Timeout(60)
class SentTimeTest {

    /** More than the buffers of both sockets hold. */
    private static final int LARGE_BYTES = 64 << 20;

    private static final String EVENTS = "data: {\"choices\":[{\"delta\":{\"content\":\"w\"}}]}\n\ndata: [DONE]\n\n";

    private final AtomicLong readFromNanos = new AtomicLong();
    private final CountDownLatch isRead = new CountDownLatch(1);
    private HttpServer server;
    private Call.Ending ending;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/read", exchange -> {
            exchange.getRequestBody().read();
            readFromNanos.set(System.nanoTime());
            exchange.getRequestBody().readAllBytes();
            answer(exchange);
        });
        server.createContext("/early", exchange -> {
            answer(exchange);
            await(isRead);
        });
        server.start();
    }

    @AfterEach
    void stop() {
        isRead.countDown();
        server.stop(0);
    }

    @Test
    void itIsSentOnceTheServerHasReadAndNotBefore() throws Exception {
        assertThat(send("/read").sentNanos().orElseThrow()).isGreaterThan(readFromNanos.get());
    }

    @Test
    void ofOneThatIsAnsweredBeforeItsLastByteItIsNotKnown() throws Exception {
        assertThat(send("/early").sentNanos()).isEmpty();
    }

    /** The rest of the one would be ahead of the other, and the server need not read it. */
    @Test
    void noOtherRequestIsSentBehindAnUnfinishedOne() throws Exception {
        send("/early");
        assertThat(ending.isAtEnd()).isFalse();

        isRead.countDown();
        send("/read");
        assertThat(ending.isAtEnd()).isTrue();
    }

    private Call send(String path) throws Exception {
        try (EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = ConnectionsTest.options(server.getAddress().getPort());
            Connections connections = ConnectionsTest.connections(loop, options);
            FullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1, HttpMethod.POST, path, Unpooled.wrappedBuffer(new byte[LARGE_BYTES]));
            request.headers()
                    .set(HttpHeaderNames.HOST, "localhost")
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, LARGE_BYTES);
            StreamedAnswer answer = new StreamedAnswer(1, false);
            Call call = new Call(path, answer, NanoClock.SYSTEM, options.deadlines(), new Failures(options), List.of());
            ending = call.send(connections.lease(), request, connections::lease).get(30, TimeUnit.SECONDS);
            assertThat(ending.reason()).isNull();
            return call;
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "text/event-stream");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.getResponseBody().flush();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
