package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More requests at a time than a connection of HTTP/2 may have. */
@Timeout(120)
class Http2LoadTest {

    private static final int REQUESTS = 150;
    private static final int MOST_STREAMS = 32;

    @TempDir
    static Path folder;

    private static TestCertificate certificate;

    @BeforeAll
    static void make() throws Exception {
        certificate = TestCertificate.in(folder);
    }

    private static TargetSession open(Http2Server server) {
        return Requests.open(
                server.url(), Map.of("certificates", certificate.certificate().getPath()));
    }

    private static Generation prepare(TargetSession session, int number) {
        return session.prepare(new GenerationRequest(8, 4, true, Sampling.GREEDY, number));
    }

    private static CompletableFuture<String> start(Generation generation) {
        TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 4);
        recorder.start(0, 8, 4, true);
        return generation
                .start(recorder)
                .handle((nothing, thrown) ->
                        thrown == null ? recorder.end().outcome().name() : String.valueOf(thrown.getMessage()));
    }

    private static Map<String, Long> endings(List<CompletableFuture<String>> started) throws Exception {
        List<String> endings = new ArrayList<>();
        for (CompletableFuture<String> ending : started) {
            endings.add(ending.get(60, TimeUnit.SECONDS));
        }
        return endings.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    private static long streamed(Http2Server server) {
        return server.requests().stream()
                .filter(r -> r.body().contains("\"stream\":true"))
                .count();
    }

    @Test
    void whatAConnectionHasNoRoomForGoesOverAnother() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), MOST_STREAMS);
                TargetSession session = open(server)) {
            prepare(session, REQUESTS).discard();
            server.holdUntil(REQUESTS);
            List<CompletableFuture<String>> started = IntStream.range(0, REQUESTS)
                    .mapToObj(i -> start(prepare(session, i)))
                    .toList();

            assertThat(endings(started)).containsExactly(entry("COMPLETED", (long) REQUESTS));
            assertThat(streamed(server)).as("each is sent once").isEqualTo(REQUESTS);
            assertThat(server.mostStreams()).as("all are in flight at a time").isEqualTo(REQUESTS);
            assertThat(server.connections())
                    .as("one that asked, and as many as it takes")
                    .isEqualTo(1 + (REQUESTS + MOST_STREAMS - 1) / MOST_STREAMS);
        }
    }

    @Test
    void aPlaceIsGivenBackWhenItsRequestIsOver() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), 2);
                TargetSession session = open(server)) {
            for (int i = 0; i < 10; i++) {
                Generation unused = prepare(session, i);
                unused.ready().get(60, TimeUnit.SECONDS);
                unused.discard();
                List<CompletableFuture<String>> two = List.of(start(prepare(session, i)), start(prepare(session, i)));
                assertThat(endings(two)).containsExactly(entry("COMPLETED", 2L));
            }
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aServerThatAllowsFewerFromHereOnGetsNoMore() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), MOST_STREAMS);
                TargetSession session = open(server)) {
            prepare(session, 20).discard();
            server.holdUntil(20);
            CompletableFuture<String> first = start(prepare(session, 0));
            List<Generation> ready =
                    IntStream.range(1, 10).mapToObj(i -> prepare(session, i)).toList();
            server.awaitStreams(1);
            server.allow(2);
            server.release();
            first.get(60, TimeUnit.SECONDS);

            List<CompletableFuture<String>> started = new ArrayList<>(List.of(first));
            ready.forEach(generation -> started.add(start(generation)));
            for (int i = 10; i < 20; i++) {
                started.add(start(prepare(session, i)));
            }

            assertThat(endings(started)).containsExactly(entry("COMPLETED", 20L));
            assertThat(streamed(server)).as("each is sent once").isEqualTo(20);
        }
    }

    @Test
    void aConnectionThatGoesAwayGetsNoFurtherRequest() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), MOST_STREAMS);
                TargetSession session = open(server)) {
            List<CompletableFuture<String>> started = new ArrayList<>();
            prepare(session, 20).discard();
            server.holdUntil(2);
            CompletableFuture<String> first = start(prepare(session, 0));
            List<Generation> ready = List.of(prepare(session, 1), prepare(session, 2));
            server.awaitStreams(1);
            server.goAway();
            // What is sent before the client knows is not answered, and may not be sent again: the answer comes after
            // it.
            server.release();
            first.get(60, TimeUnit.SECONDS);

            started.add(first);
            ready.forEach(generation -> started.add(start(generation)));
            for (int i = 3; i < 20; i++) {
                started.add(start(prepare(session, i)));
            }

            assertThat(endings(started)).containsExactly(entry("COMPLETED", 20L));
            assertThat(streamed(server)).as("each is sent once").isEqualTo(20);
        }
    }

    /** The thread that reads hears of the close after another thread has taken a place, and before there is a stream. */
    @Test
    void aConnectionThatIsClosedBeforeTheStreamIsThereIsReplaced() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), MOST_STREAMS);
                EventLoop loop = EventLoop.start()) {
            OpenAiOptions options = OpenAiOptions.of(
                    new TargetSpec(
                            "openai:" + server.url() + "?model=m",
                            "cpu",
                            "",
                            1,
                            new TreeMap<>(Map.of(
                                    "certificates", certificate.certificate().getPath()))),
                    name -> Optional.empty());
            Connections connections = new Connections(new Connector(
                    loop,
                    options.endpoint(),
                    Optional.empty(),
                    TlsContext.of(options),
                    NanoClock.SYSTEM,
                    TimeUnit.SECONDS.toNanos(10))::connect);
            Connections.Lease first = connections.lease().get(60, TimeUnit.SECONDS);
            CountDownLatch isTaken = new CountDownLatch(1);
            loop.group().submit(() -> {
                isTaken.await();
                return first.connection().channel().close();
            });

            CompletableFuture<Connections.Lease> second = connections.lease();
            isTaken.countDown();

            assertThat(second.get(60, TimeUnit.SECONDS).connection()).isNotEqualTo(first.connection());
            assertThat(second.get().isReused()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"7, REFUSED_STREAM", "8, CANCEL", "153, error 153"})
    void aStreamThatTheServerEndsSaysByWhichError(long code, String error) throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0), MOST_STREAMS);
                TargetSession session = open(server)) {
            prepare(session, 1).discard();
            server.holdUntil(2);
            CompletableFuture<String> started = start(prepare(session, 0));
            server.awaitStreams(1);

            server.reset(code);

            assertThat(started.get(60, TimeUnit.SECONDS))
                    .contains("the connection broke after 0 chunks (the server ended its stream with " + error + ")");
            server.release();
        }
    }

    @Test
    void aRequestThatTheServerDidNotTakeAnyMoreSaysSo() {
        List<String> told = new ArrayList<>();
        ResponseHandler handler = new ResponseHandler();
        handler.expect(new ResponseHandler.Response() {
            @Override
            public void head(HttpResponse head, long atNanos) {}

            @Override
            public void body(byte[] bytes, int from, int to, long atNanos) {}

            @Override
            public void end(long atNanos) {}

            @Override
            public void broken(Throwable cause) {
                told.add(cause.getMessage());
            }
        });

        new EmbeddedChannel(handler)
                .pipeline()
                .fireUserEventTriggered(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));

        assertThat(told)
                .containsExactly("the server took no more requests over it, by a GOAWAY while it was under way");
    }
}
