package io.github.latencybudget.openai;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.HttpConversionUtil;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Makes requests, and the few that are not measured. */
final class Http {

    private static final int MOST_BYTES = 4 << 20;

    /** Each of them was open a moment before. */
    private static final int MOST_CLOSED = 16;

    private final OpenAiOptions options;
    private final Connections connections;
    private final Failures failures;

    /** An answer as a whole. */
    record Answer(int status, String server, String body) {}

    Http(OpenAiOptions options, Connections connections, Failures failures) {
        this.options = options;
        this.connections = connections;
        this.failures = failures;
    }

    /** {@return a request with all its headers} */
    FullHttpRequest request(HttpMethod method, String path, byte[] body, String accept) {
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, path, Unpooled.wrappedBuffer(body));
        options.credentials()
                .headers()
                .forEach((name, value) -> request.headers().set(name, value));
        request.headers()
                .set(HttpHeaderNames.HOST, options.endpoint().authority())
                .set(HttpHeaderNames.ACCEPT, accept)
                .set(HttpHeaderNames.USER_AGENT, "latency-budget");
        if (method.equals(HttpMethod.POST)) {
            request.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        }
        if (options.endpoint().isTls()) {
            request.headers().set(HttpConversionUtil.ExtensionHeaderNames.SCHEME.text(), "https");
        }
        return request;
    }

    /** {@return what a GET gives} */
    Answer get(String path) throws Failure, InterruptedException {
        return exchange(HttpMethod.GET, path, new byte[0]);
    }

    /** {@return what a POST gives} */
    Answer post(String path, byte[] body) throws Failure, InterruptedException {
        return exchange(HttpMethod.POST, path, body);
    }

    /**
     * A server that closes a connection without a word may do so while the next question is under way. It is no measured request, so
     * it is asked again over another; a connection that was made for it says by its close that the server does not want it.
     */
    private Answer exchange(HttpMethod method, String path, byte[] body) throws Failure, InterruptedException {
        for (int closed = 0; ; closed++) {
            Connections.Lease lease = lease();
            Optional<Answer> answer = exchange(lease, method, path, body, lease.isReused() && closed < MOST_CLOSED);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
    }

    /** {@return the answer; empty where the connection was closed before it began, and that may be} */
    private Optional<Answer> exchange(
            Connections.Lease lease, HttpMethod method, String path, byte[] body, boolean mayBeClosed)
            throws Failure, InterruptedException {
        Whole whole = new Whole();
        lease.channel().eventLoop().execute(() -> {
            lease.handler()
                    .ifPresentOrElse(
                            handler -> {
                                handler.expect(whole);
                                lease.channel().writeAndFlush(request(method, path, body, "application/json"));
                            },
                            () -> whole.broken(null));
        });
        try {
            Answer answer = whole.done.get(options.deadlines().requestNanos(), TimeUnit.NANOSECONDS);
            connections.giveBack(lease);
            return Optional.of(answer);
        } catch (TimeoutException e) {
            lease.channel().close();
            throw new Failure(failures.late(
                    path,
                    "the answer did not end",
                    "requestSeconds",
                    options.deadlines().requestNanos(),
                    0));
        } catch (ExecutionException e) {
            if (mayBeClosed && whole.status == 0) {
                return Optional.empty();
            }
            throw new Failure(failures.broken(path, e.getCause() instanceof Whole.Closed ? null : e.getCause(), 0));
        }
    }

    /** {@return a place for a request} */
    Connections.Lease lease() throws Failure, InterruptedException {
        try {
            return connections.lease().get();
        } catch (ExecutionException e) {
            throw new Failure(failures.connecting(e.getCause()));
        }
    }

    /** A request was not answered; the message says why and what to do. */
    static final class Failure extends Exception {

        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    /** Collects an answer. */
    private static final class Whole implements ResponseHandler.Response {

        private final CompletableFuture<Answer> done = new CompletableFuture<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private int status;
        private String server = "";

        private static final class Closed extends Exception {
            private static final long serialVersionUID = 1L;
        }

        @Override
        public void head(HttpResponse head, long atNanos) {
            status = head.status().code();
            server = head.headers().get(HttpHeaderNames.SERVER, "");
        }

        @Override
        public void body(byte[] bytes, int from, int to, long atNanos) {
            body.write(bytes, from, Math.min(to - from, MOST_BYTES - body.size()));
        }

        @Override
        public void end(long atNanos) {
            done.complete(new Answer(status, server, body.toString(StandardCharsets.UTF_8)));
        }

        @Override
        public void broken(@Nullable Throwable cause) {
            done.completeExceptionally(cause == null ? new Closed() : cause);
        }
    }
}
