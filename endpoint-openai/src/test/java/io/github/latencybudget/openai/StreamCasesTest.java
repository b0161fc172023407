package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.inference.TruncatedOutputException;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every stream of the cases through the whole client but its socket, on a clock by script, cut at every byte. */
class StreamCasesTest {

    private static final long START = 7_000_000_000L;
    private static final int WHOLE = -1;

    static List<StreamCase> cases() throws IOException {
        return StreamCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theWholeStreamGivesWhatItShould(StreamCase streamCase) throws Exception {
        Run run = new Run(streamCase);
        TokenTrace trace = run.cutAt(WHOLE);

        streamCase.check(trace);
        streamCase.checkTimes(trace);
        if (streamCase.expect().has("text")) {
            assertThat(run.answer.text())
                    .contains(streamCase.expect().path("text").asText());
        }
        assertThat(run.requests).as("nothing is tried again").hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whereverItIsCutItGivesTheSame(StreamCase streamCase) throws Exception {
        int bytes = streamCase.reads().stream().mapToInt(r -> r.bytes().length).sum();
        for (int cut = 0; cut < bytes; cut++) {
            TokenTrace trace = new Run(streamCase).cutAt(cut);
            streamCase.check(trace);
            streamCase.checkTimes(trace);
        }
    }

    private static final class Run {

        private final StreamCase streamCase;
        private final AtomicLong nanos = new AtomicLong(START);
        private final AtomicInteger requests = new AtomicInteger();
        private final StreamedAnswer answer = new StreamedAnswer(64, true);

        Run(StreamCase streamCase) {
            this.streamCase = streamCase;
        }

        TokenTrace cutAt(int cut) throws Exception {
            EmbeddedChannel channel = new EmbeddedChannel(new WrittenBytes(), new ReadClock(nanos::get));
            Connector.addHttp1(channel);
            Connections.Lease lease = new Connections.Lease(
                    new Connection(channel, 1, 0, channel.pipeline().get(WrittenBytes.class), Optional.empty()),
                    channel,
                    false);
            OpenAiOptions options = OpenAiOptions.of(
                    new TargetSpec("openai:http://localhost:8000?model=m", "cpu", "", 1, new TreeMap<>()),
                    name -> Optional.empty());
            Call call = new Call(
                    "/v1", answer, nanos::get, options.deadlines(), new Failures(options).of("m"), List.of("m"));
            OpenAiGeneration generation = new OpenAiGeneration(
                    new GenerationRequest(
                            StreamCase.PROMPT_TOKENS,
                            streamCase.maxTokens(),
                            streamCase.ignoreEos(),
                            Sampling.GREEDY,
                            0),
                    new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1", Unpooled.EMPTY_BUFFER),
                    CompletableFuture.completedFuture(lease),
                    answer,
                    call,
                    new OpenAiGeneration.Reading(
                            ServerKind.OTHER,
                            Optional.empty(),
                            true,
                            l -> {},
                            () -> CompletableFuture.completedFuture(lease)),
                    text -> {});
            TokenRecorder recorder = new TokenRecorder(nanos::get, 64);
            recorder.start(0, StreamCase.PROMPT_TOKENS, streamCase.maxTokens(), streamCase.ignoreEos());
            CompletableFuture<?> done = generation.start(recorder);
            channel.runPendingTasks();
            for (Object sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
                ReferenceCountUtil.release(sent);
                requests.incrementAndGet();
            }
            answer(channel, cut);
            return end(recorder, done);
        }

        private void answer(EmbeddedChannel channel, int cut) {
            StringBuilder head = new StringBuilder("HTTP/1.1 %d X\r\n".formatted(streamCase.status()));
            streamCase
                    .json()
                    .path("headers")
                    .properties()
                    .forEach(h -> head.append(
                            "%s: %s\r\n".formatted(h.getKey(), h.getValue().asText())));
            write(
                    channel,
                    head.append("transfer-encoding: chunked\r\n\r\n").toString().getBytes(StandardCharsets.UTF_8));
            int before = 0;
            for (StreamCase.Read read : streamCase.reads()) {
                nanos.set(START + read.atNanos());
                int length = read.bytes().length;
                int at = cut >= before && cut < before + length ? cut - before : length;
                chunk(channel, Arrays.copyOfRange(read.bytes(), 0, at));
                chunk(channel, Arrays.copyOfRange(read.bytes(), at, length));
                before += length;
            }
            if (streamCase.isReset()) {
                channel.pipeline().fireExceptionCaught(new IOException("Connection reset"));
            } else {
                write(channel, "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            channel.close();
        }

        private static void chunk(EmbeddedChannel channel, byte[] bytes) {
            // A client that has seen enough has closed it.
            if (bytes.length > 0 && channel.isOpen()) {
                byte[] size = (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
                channel.writeInbound(Unpooled.copiedBuffer(size, bytes, new byte[] {'\r', '\n'}));
            }
        }

        private static void write(EmbeddedChannel channel, byte[] bytes) {
            if (channel.isOpen()) {
                channel.writeInbound(Unpooled.copiedBuffer(bytes));
            }
        }

        private static TokenTrace end(TokenRecorder recorder, CompletableFuture<?> done) throws InterruptedException {
            assertThat(done).isDone();
            try {
                done.get();
                return recorder.end();
            } catch (ExecutionException e) {
                return e.getCause() instanceof TruncatedOutputException
                        ? recorder.truncated(e.getCause().getMessage())
                        : recorder.fail(e.getCause().getMessage());
            }
        }
    }
}
