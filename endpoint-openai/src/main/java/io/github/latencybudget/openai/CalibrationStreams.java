package io.github.latencybudget.openai;

import io.github.latencybudget.trace.NanoClock;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Streams from a server in this process, read in the way of those that are measured. */
final class CalibrationStreams implements ClientCalibrator.Streams {

    /** What the server speaks; what TLS and HTTP/2 take is not in the errors. */
    static final String PROTOCOL = Connections.HTTP_1;

    private static final long MOST_NANOS = ClientCalibrator.MOST_WAIT_NANOS;
    private static final Deadlines DEADLINES = new Deadlines(MOST_NANOS, MOST_NANOS, MOST_NANOS, MOST_NANOS);

    private final EventLoop loop;
    private final NanoClock clock;
    private final Failures failures;

    CalibrationStreams(EventLoop loop, NanoClock clock, Failures failures) {
        this.loop = loop;
        this.clock = clock;
        this.failures = failures;
    }

    @Override
    public ClientCalibrator.Seen run(int streams, int rounds, long periodNanos)
            throws IOException, InterruptedException {
        long startNanos = clock.nanos();
        try (CalibrationServer server = new CalibrationServer(clock)) {
            CompletableFuture<long[][]> sent = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            sent.complete(server.serve(streams, rounds, periodNanos));
                        } catch (IOException | RuntimeException e) {
                            sent.completeExceptionally(e);
                        }
                    },
                    "latency-budget calibration");
            thread.setDaemon(true);
            thread.start();
            Connector connector =
                    new Connector(loop, server.endpoint(), Optional.empty(), Optional.empty(), clock, MOST_NANOS);
            Connections connections = new Connections(connector::connect);
            List<StreamedAnswer> answers = new ArrayList<>();
            List<CompletableFuture<Call.Ending>> endings = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                StreamedAnswer answer = new StreamedAnswer(rounds, false);
                answers.add(answer);
                endings.add(call(connections, CalibrationServer.path(i), answer));
            }
            CompletableFuture.allOf(endings.toArray(CompletableFuture[]::new)).get(MOST_NANOS, TimeUnit.NANOSECONDS);
            int came = answers.stream().mapToInt(a -> a.chunks().count()).sum();
            // A server that could not send is another fault, but it cannot send to a client that gave up either.
            if (came < streams * rounds && (isLate(startNanos) || !sent.isCompletedExceptionally())) {
                throw new ClientCalibrator.Behind(
                        String.format(Locale.ROOT, "%d of %d events came", came, streams * rounds));
            }
            return seen(sent.get(MOST_NANOS, TimeUnit.NANOSECONDS), answers, periodNanos);
        } catch (ExecutionException e) {
            throw isLate(startNanos)
                    ? new ClientCalibrator.Behind(String.valueOf(e.getCause()))
                    : new IOException(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new ClientCalibrator.Behind("it did not end");
        }
    }

    private boolean isLate(long startNanos) {
        return clock.nanos() - startNanos >= MOST_NANOS;
    }

    private CompletableFuture<Call.Ending> call(Connections connections, String path, StreamedAnswer answer) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
        request.headers().set(HttpHeaderNames.HOST, "localhost");
        CompletableFuture<Connections.Lease> lease = connections.lease();
        return lease.thenCompose(over -> new Call(path, answer, clock, DEADLINES, failures, List.of())
                .send(lease, request, () -> lease)
                .whenComplete((ending, thrown) -> over.channel().close()));
    }

    private static ClientCalibrator.Seen seen(long[][] sentNanos, List<StreamedAnswer> answers, long periodNanos) {
        int rounds = sentNanos[0].length;
        long[] errors = new long[sentNanos.length * rounds];
        long lastNanos = 0;
        for (int stream = 0; stream < sentNanos.length; stream++) {
            StreamedAnswer.ChunkTimes chunks = answers.get(stream).chunks();
            for (int round = 0; round < rounds; round++) {
                errors[stream * rounds + round] = chunks.nanos(round) - sentNanos[stream][round];
            }
            lastNanos = Math.max(lastNanos, sentNanos[stream][rounds - 1] - sentNanos[0][0]);
        }
        // The last round has its period too.
        long window = Math.max(lastNanos, (rounds - 1) * periodNanos) + periodNanos;
        return new ClientCalibrator.Seen(errors, errors.length * 1e9 / window);
    }
}
