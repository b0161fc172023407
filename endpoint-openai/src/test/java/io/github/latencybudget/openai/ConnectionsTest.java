package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ConnectionsTest {

    private static final int PREPARERS = 32;

    @Test
    void tenThousandRefusalsAreTenThousandFailuresWithoutAThreadEach() {
        ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
        try (TargetSession session = Requests.open(server.url(), Map.of())) {
            assertThat(Requests.run(session, 8, 4, true, 0).outcome()).isEqualTo(Outcome.COMPLETED);
            server.close();
            int threads = Thread.activeCount();
            ExecutorService preparers = Executors.newFixedThreadPool(PREPARERS);

            Map<String, Long> endings = IntStream.rangeClosed(1, 10_000)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                                    () -> session.prepare(new GenerationRequest(8, 4, true, Sampling.GREEDY, i)),
                                    preparers)
                            .thenCompose(generation -> generation.start(new TokenRecorder(NanoClock.SYSTEM, 4))))
                    .toList()
                    .stream()
                    .map(ConnectionsTest::ending)
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

            assertThat(endings).containsOnly(entry("refused", 10_000L));
            assertThat(Thread.activeCount() - threads).isLessThan(PREPARERS + 10);
            preparers.shutdown();
        }
    }

    private static String ending(CompletableFuture<?> done) {
        try {
            done.join();
            return "completed";
        } catch (CompletionException e) {
            String reason = String.valueOf(e.getCause().getMessage());
            return reason.contains("nothing listens there") ? "refused" : reason;
        }
    }

    static OpenAiOptions options(int port) {
        return OpenAiOptions.of(
                new TargetSpec("openai:http://localhost:" + port + "?model=m", "cpu", "", 1, new TreeMap<>()),
                name -> Optional.empty());
    }

    static Connections connections(EventLoop loop, OpenAiOptions options) {
        return new Connections(new Connector(
                loop,
                options.endpoint(),
                Optional.empty(),
                Optional.empty(),
                NanoClock.SYSTEM,
                TimeUnit.SECONDS.toNanos(10))::connect);
    }

    private static Connections.Lease closed(Connections connections, EventLoop loop) throws Exception {
        Connections.Lease lease = connections.lease().get();
        lease.channel().close().sync();
        // The pipeline of a closed connection is emptied on its thread.
        loop.group().submit(() -> {}).get();
        return lease;
    }

    static Call call(OpenAiOptions options) {
        return call(options, options.deadlines());
    }

    private static Call call(OpenAiOptions options, Deadlines deadlines) {
        return new Call(
                "/", new StreamedAnswer(1, false), NanoClock.SYSTEM, deadlines, new Failures(options), List.of());
    }

    static DefaultFullHttpRequest request() {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.POST,
                "/v1/completions",
                Unpooled.copiedBuffer(
                        "{\"stream\":true,\"max_tokens\":2,\"prompt\":\"a\"}", StandardCharsets.US_ASCII));
        request.headers()
                .setInt(HttpHeaderNames.CONTENT_LENGTH, request.content().readableBytes());
        return request;
    }

    @Test
    void theThreadThatReadsLooksNoNameUp() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        Connector.Names names = host -> {
            threads.add(Thread.currentThread().getName());
            return InetAddress.getLoopbackAddress();
        };
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TestProxy proxy = new TestProxy(server.port(), "200 OK");
                EventLoop loop = EventLoop.start()) {
            int proxyPort = URI.create(proxy.url()).getPort();
            for (Optional<Proxy> through : List.of(
                    Optional.<Proxy>empty(),
                    Optional.of(new Proxy("proxy.invalid", proxyPort, "the option proxy", Optional.empty())))) {
                Connector connector = new Connector(
                        loop,
                        new Endpoint(false, "model.invalid", server.port(), "/v1"),
                        through,
                        Optional.empty(),
                        NanoClock.SYSTEM,
                        TimeUnit.SECONDS.toNanos(10),
                        names);
                Connections connections = new Connections(connector::connect);

                // On the thread that reads, as a request is that begins when another one ends.
                CompletableFuture<Connections.Lease> lease =
                        loop.group().submit(connections::lease).get(60, TimeUnit.SECONDS);
                assertThat(lease.get(60, TimeUnit.SECONDS).connection().isOpen())
                        .isTrue();
            }
        }
        assertThat(threads).hasSize(2).noneMatch(name -> name.startsWith("latency-budget endpoint"));
    }

    @Test
    void aResolverThatDoesNotAnswerIsWaitedForNoLongerThanAConnection() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        OpenAiOptions options = OpenAiOptions.of(
                new TargetSpec("openai:http://model.invalid?model=m&connectSeconds=1", "cpu", "", 1, new TreeMap<>()),
                name -> Optional.empty());
        try (EventLoop loop = EventLoop.start()) {
            Connector connector = new Connector(
                    loop,
                    options.endpoint(),
                    Optional.empty(),
                    Optional.empty(),
                    NanoClock.SYSTEM,
                    TimeUnit.MILLISECONDS.toNanos(10),
                    host -> {
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return InetAddress.getLoopbackAddress();
                    });

            CompletableFuture<Connections.Lease> lease = new Connections(connector::connect).lease();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> lease.get(60, TimeUnit.SECONDS))
                    .satisfies(
                            e -> assertThat(new Failures(options).connecting(e.getCause()))
                                    .startsWith(
                                            "http://model.invalid: the name model.invalid was not found within 1 s (DNS); see that this machine's resolver answers, or raise the option connectSeconds"));
            never.countDown();
        }
    }

    /** Nothing of it was sent, so it is no second try. */
    @Test
    void aConnectionThatIsClosedBeforeItsRequestIsSentIsReplaced() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = options(server.port());
            Connections connections = connections(loop, options);
            Connections.Lease lease = closed(connections, loop);
            Call call = call(options);

            Call.Ending ending = call.send(CompletableFuture.completedFuture(lease), request(), connections::lease)
                    .get(60, TimeUnit.SECONDS);

            assertThat(ending).isEqualTo(new Call.Ending(false, null, true));
            assertThat(call.lease().orElseThrow().connection()).isNotEqualTo(lease.connection());
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void whereOneOfThePoolIsClosedTooTheNextIsTaken() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = options(server.port());
            Connections connections = connections(loop, options);
            List<CompletableFuture<Connections.Lease>> closed = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Connections.Lease lease = closed(connections, loop);
                closed.add(CompletableFuture.completedFuture(
                        new Connections.Lease(lease.connection(), lease.channel(), true)));
            }
            java.util.Iterator<CompletableFuture<Connections.Lease>> next =
                    closed.subList(1, 4).iterator();

            Call.Ending ending = call(options)
                    .send(closed.get(0), request(), () -> next.hasNext() ? next.next() : connections.lease())
                    .get(60, TimeUnit.SECONDS);

            assertThat(ending).isEqualTo(new Call.Ending(false, null, true));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void whereThereIsNoOtherConnectionTheRequestSaysWhy() throws Exception {
        ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
        try (EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = options(server.port());
            Connections connections = connections(loop, options);
            Connections.Lease lease = closed(connections, loop);
            server.close();

            Call.Ending ending = call(options)
                    .send(CompletableFuture.completedFuture(lease), request(), connections::lease)
                    .get(60, TimeUnit.SECONDS);

            assertThat(ending.reason()).contains("nothing listens there");
        }
    }

    @Test
    void oneThatIsClosedTooFailsTheRequest() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = options(server.port());
            Connections.Lease lease = closed(connections(loop, options), loop);

            Call.Ending ending = call(options)
                    .send(
                            CompletableFuture.completedFuture(lease),
                            request(),
                            () -> CompletableFuture.completedFuture(lease))
                    .get(60, TimeUnit.SECONDS);

            assertThat(ending.reason())
                    .isEqualTo(
                            "http://localhost:%d/: the connection broke after 0 chunks (it was closed); see the server's log for why it ended the request"
                                    .formatted(server.port()));
        }
    }

    @Test
    void whatIsLateBeforeItHasItsConnectionIsNotSent() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = options(server.port());
            Connections connections = connections(loop, options);
            long all = options.deadlines().requestNanos();

            Call.Ending late = call(options, new Deadlines(all, 1, all, all))
                    .send(connections.lease(), request(), connections::lease)
                    .get(60, TimeUnit.SECONDS);
            call(options)
                    .send(connections.lease(), request(), connections::lease)
                    .get(60, TimeUnit.SECONDS);

            assertThat(late.reason()).contains("no token came within");
            assertThat(server.requests()).as("that of the other alone").hasSize(1);
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
