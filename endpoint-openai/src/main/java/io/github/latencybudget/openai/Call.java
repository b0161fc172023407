package io.github.latencybudget.openai;

import io.github.latencybudget.trace.NanoClock;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One streamed request, from its first byte out to its end. All of it happens on the connection's thread. */
final class Call implements ResponseHandler.Response {

    /** Of an error's body: more than a page of it says nothing. */
    private static final int MOST_ERROR_BYTES = 65_536;

    /** Of an answer that was not streamed: what a model can write, with room for log probabilities. */
    private static final int MOST_WHOLE_BYTES = 64 << 20;

    private static final int OK = 200;

    private final String path;
    private final StreamedAnswer answer;
    private final NanoClock clock;
    private final Deadlines deadlines;
    private final Failures failures;
    private final List<String> models;
    private final CompletableFuture<Ending> ending = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private volatile @Nullable Delivery delivery;
    private @Nullable Future<?> check;
    private @Nullable HttpResponse head;
    private boolean isStream;
    private boolean isWhole;
    private @Nullable WholeAnswer whole;
    private long startNanos;
    private OptionalLong sentNanos = OptionalLong.empty();
    private OptionalLong headNanos = OptionalLong.empty();
    private OptionalLong endNanos = OptionalLong.empty();

    /**
     * How it ended.
     *
     * @param isTruncated whether the stream only stopped
     * @param reason why it did not complete; null where it did
     * @param isAtEnd whether the request was sent and the response read to their ends, so that the connection can be used again
     */
    record Ending(boolean isTruncated, @Nullable String reason, boolean isAtEnd) {}

    Call(
            String path,
            StreamedAnswer answer,
            NanoClock clock,
            Deadlines deadlines,
            Failures failures,
            List<String> models) {
        this.path = path;
        this.answer = answer;
        this.clock = clock;
        this.deadlines = deadlines;
        this.failures = failures;
        this.models = models;
    }

    /**
     * Sends the request.
     *
     * @param over the connection, which is waited for
     * @param another gives one in place of one that was closed before the first byte
     */
    CompletableFuture<Ending> send(
            CompletableFuture<Connections.Lease> over,
            FullHttpRequest request,
            Supplier<CompletableFuture<Connections.Lease>> another) {
        startNanos = clock.nanos();
        Delivery way = new Delivery(this, request, another);
        delivery = way;
        way.over(over);
        return ending.whenComplete((how, thrown) -> way.end());
    }

    /** The last byte of it was handed to the socket. */
    void sent() {
        sentNanos = OptionalLong.of(clock.nanos());
    }

    boolean isOver() {
        return ending.isDone();
    }

    void notConnected(Throwable thrown) {
        fail(failures.connecting(thrown));
    }

    /** Ends it from outside. */
    void cancel() {
        end(new Ending(false, "cancelled", false));
    }

    @Override
    public void head(HttpResponse response, long atNanos) {
        head = response;
        headNanos = OptionalLong.of(atNanos);
        String type = header(response, HttpHeaderNames.CONTENT_TYPE).toLowerCase(Locale.ROOT);
        isStream = response.status().code() == OK && type.startsWith("text/event-stream");
        isWhole = response.status().code() == OK && type.startsWith("application/json");
    }

    @Override
    public void body(byte[] bytes, int from, int to, long atNanos) {
        if (ending.isDone()) {
            return;
        }
        if (isStream) {
            boolean hadToken = answer.chunks().count() > 0;
            boolean wasDone = answer.isDone();
            try {
                answer.feed(bytes, from, to, atNanos);
            } catch (AnswerFault e) {
                fail(failures.inStream(path, e));
                return;
            }
            if (!hadToken && answer.chunks().count() > 0 || !wasDone && answer.isDone()) {
                // What comes next has a deadline that may be sooner than the one that is waited for.
                checkDeadlines();
            }
            return;
        }
        int most = isWhole ? MOST_WHOLE_BYTES : MOST_ERROR_BYTES;
        body.write(bytes, from, Math.min(to - from, most - body.size()));
        if (body.size() == most) {
            fail(
                    isWhole
                            ? failures.inStream(
                                    path,
                                    new AnswerFault(String.format(
                                            Locale.ROOT,
                                            "the answer is longer than %d bytes: see what the server sends",
                                            most)))
                            : refusal());
        }
    }

    @Override
    public void end(long atNanos) {
        endNanos = OptionalLong.of(atNanos);
        // What of the request is still to be written would be ahead of the next one.
        boolean isAtEnd = sentNanos.isPresent();
        if (isWhole) {
            end(new Ending(false, readWhole(), isAtEnd));
        } else if (!isStream) {
            end(new Ending(false, refusal(), isAtEnd));
        } else if (answer.isComplete()) {
            end(new Ending(false, null, isAtEnd));
        } else {
            end(new Ending(
                    true,
                    String.format(
                            Locale.ROOT,
                            "the stream ended after %d chunks with neither a finish reason nor [DONE]; see the server's log",
                            answer.chunks().count()),
                    isAtEnd));
        }
    }

    @Override
    public void broken(@Nullable Throwable cause) {
        Delivery way = delivery;
        if (ending.isDone() || way != null && way.isRerouted()) {
            return;
        }
        endNanos = OptionalLong.of(clock.nanos());
        if (answer.isDone()) {
            end(new Ending(false, null, false));
        } else if (head != null && !isStream && !isWhole) {
            end(new Ending(false, refusal(), false));
        } else {
            end(new Ending(false, failures.broken(path, cause, answer.chunks().count()), false));
        }
    }

    /** {@return what is wrong with it; null where nothing is} */
    private @Nullable String readWhole() {
        try {
            whole = WholeAnswer.of(body.toByteArray());
            return null;
        } catch (AnswerFault e) {
            return failures.inStream(path, e);
        }
    }

    private String refusal() {
        String said = body.toString(StandardCharsets.UTF_8);
        HttpResponse response = java.util.Objects.requireNonNull(head);
        int status = response.status().code();
        return status == OK
                ? failures.notAStream(path, header(response, HttpHeaderNames.CONTENT_TYPE), said)
                : failures.status(
                        path,
                        status,
                        header(response, HttpHeaderNames.RETRY_AFTER),
                        header(response, HttpHeaderNames.LOCATION),
                        failures.error(said),
                        models);
    }

    private static String header(HttpResponse response, CharSequence name) {
        return response.headers().get(name, "");
    }

    /** Looks at them now, and again when the next one is due. */
    void checkDeadlines() {
        stopCheck();
        if (ending.isDone()) {
            return;
        }
        long now = clock.nanos();
        long left = deadlines.leftNanos(answer, startNanos, now);
        if (left > 0) {
            check = lease().orElseThrow()
                    .channel()
                    .eventLoop()
                    .schedule(this::checkDeadlines, left, TimeUnit.NANOSECONDS);
        } else {
            end(new Ending(false, deadlines.missed(answer, startNanos, now, failures, path), false));
        }
    }

    private void fail(String reason) {
        end(new Ending(false, reason, false));
    }

    private void stopCheck() {
        Future<?> scheduled = check;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }

    private void end(Ending with) {
        stopCheck();
        if (ending.complete(with) && !with.isAtEnd()) {
            // Asked for only now: one that comes meanwhile is seen here, or its thread sees that the request is over.
            lease().ifPresent(on -> on.channel().close());
        }
    }

    /** {@return over which connection it went, which may not be the one that it was begun with; empty before there is one} */
    Optional<Connections.Lease> lease() {
        return Optional.ofNullable(delivery).flatMap(Delivery::lease);
    }

    /** {@return when it was begun} */
    long startNanos() {
        return startNanos;
    }

    /** {@return the answer, where it was not streamed} */
    Optional<WholeAnswer> whole() {
        return Optional.ofNullable(whole);
    }

    /** {@return when its last byte was handed to the socket; empty where it was not, or the answer came before that} */
    OptionalLong sentNanos() {
        return sentNanos.isPresent() && headNanos.isPresent() && headNanos.getAsLong() < sentNanos.getAsLong()
                ? OptionalLong.empty()
                : sentNanos;
    }

    OptionalLong headNanos() {
        return headNanos;
    }

    OptionalLong endNanos() {
        return endNanos;
    }

    /** {@return the head of the answer; null before it came} */
    @Nullable
    HttpResponse response() {
        return head;
    }
}
