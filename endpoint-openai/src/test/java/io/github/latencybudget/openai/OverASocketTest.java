package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.Answer.End;
import io.github.latencybudget.scripted.Answer.Framing;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every stream of the cases over a real socket, each byte in a write of its own, without a schedule. */
class OverASocketTest {

    static List<StreamCase> cases() throws IOException {
        return StreamCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void eachByteComesByItself(StreamCase streamCase) {
        try (ScriptedServer server = ScriptedServer.start(script(streamCase));
                TargetSession session =
                        Requests.open(server.url(), Map.of("api", streamCase.isChat() ? "chat" : "completions"))) {
            TokenTrace trace =
                    Requests.run(session, StreamCase.PROMPT_TOKENS, streamCase.maxTokens(), streamCase.ignoreEos(), 1);

            streamCase.check(trace);
            assertThat(server.requests().stream().filter(r -> isMeasured(r)))
                    .as("nothing is tried again")
                    .hasSize(1);
        }
    }

    private static boolean isMeasured(ServedRequest request) {
        return request.body().contains("\"stream\":true");
    }

    private static Function<ServedRequest, Answer> script(StreamCase streamCase) {
        OpenAiScript other = new OpenAiScript(0, 0);
        Map<String, String> headers = new HashMap<>();
        streamCase
                .json()
                .path("headers")
                .properties()
                .forEach(h -> headers.put(h.getKey(), h.getValue().asText()));
        Answer answer = new Answer(
                streamCase.status(),
                headers,
                streamCase.reads().stream()
                        .map(r -> new Answer.Write(0, r.bytes()))
                        .toList(),
                streamCase.isReset() ? End.RESET : End.CLOSE,
                Framing.CHUNKED);
        return request -> isMeasured(request) ? paused(streamCase, answer.byteByByte()) : other.apply(request);
    }

    /** A reset takes away what the client has not read yet, so it comes later. */
    private static Answer paused(StreamCase streamCase, Answer answer) {
        return streamCase.isReset() ? answer.then(1_000_000_000L, new byte[0]) : answer;
    }

    @Test
    void aRequestThatWillNotRunLeavesItsConnectionToTheNext() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url() + "/v1/", Map.of())) {
            Generation discarded = session.prepare(new GenerationRequest(16, 4, true, Sampling.GREEDY, 1));
            discarded.discard();

            TokenTrace next = Requests.run(session, 16, 4, true, 2);

            assertThat(next.reason()).isEmpty();
            assertThat(next.exchange().orElseThrow().isReusedConnection()).isTrue();
            assertThat(server.connections())
                    .as("one that asked, one that was made ready")
                    .isEqualTo(2);
            assertThatIllegalStateException()
                    .isThrownBy(() -> discarded.start(() -> {}))
                    .withMessage("a generation runs once: prepare the request again");
            assertThatIllegalStateException()
                    .isThrownBy(discarded::discard)
                    .withMessage("what has run cannot be discarded: its place is given back already");
        }
    }

    @Test
    void aConnectionIsUsedAgainAndItsConnectTimeKept() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url() + "/v1/", Map.of())) {
            TokenTrace first = Requests.run(session, 16, 4, true, 1);
            TokenTrace second = Requests.run(session, 16, 4, true, 2);

            assertThat(first.reason()).isEmpty();
            assertThat(second.exchange().orElseThrow()).satisfies(e -> {
                assertThat(e.isReusedConnection()).isTrue();
                assertThat(e.connectNanos()).isPositive();
                assertThat(e.tlsNanos()).isNull();
                assertThat(e.sendNanos()).isPositive();
                assertThat(e.headNanos()).isPositive();
                assertThat(e.doneNanos()).isGreaterThanOrEqualTo(e.headNanos());
                assertThat(e.tokenSource()).isEqualTo("usage");
            });
            assertThat(server.connections())
                    .as("one that asked, one that measured")
                    .isEqualTo(2);
        }
    }

    @Test
    void whenItWasSentIsToldBeforeItsTokens() throws Exception {
        List<String> told = new ArrayList<>();
        TokenSink sink = new TokenSink() {
            @Override
            public void token() {
                told.add("token");
            }

            @Override
            public void sent(long nanos) {
                told.add("sent");
            }
        };
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            session.prepare(new GenerationRequest(16, 2, true, Sampling.GREEDY, 0))
                    .run(sink);
        }

        assertThat(told).containsExactly("sent", "token", "token");
    }

    @Test
    void promptsDifferFromTheFirstWordOnAndHaveTheDeclaredLength() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(3));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            for (int number = 0; number < 3; number++) {
                TokenTrace trace = Requests.run(session, 33, 2, true, number);
                assertThat(trace.reason()).isEmpty();
                assertThat(trace.cachedPromptTokens()).hasValue(3);
            }
            List<String> firstWords =
                    prompts(server).stream().map(p -> p.split(" ")[0]).toList();

            assertThat(firstWords).hasSize(3).doesNotHaveDuplicates();
            assertThat(prompts(server)).allMatch(p -> p.split(" ").length == 32);
        }
    }

    @Test
    void anotherRunHasOtherPromptsUnlessAWarmCacheIsAskedFor() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(3))) {
            for (int run = 0; run < 2; run++) {
                try (TargetSession session = Requests.open(server.url(), Map.of())) {
                    Requests.run(session, 33, 2, true, 7);
                }
            }
            assertThat(prompts(server)).hasSize(2).doesNotHaveDuplicates();

            try (TargetSession session = Requests.open(server.url(), Map.of("prefixCache", "warm"))) {
                Requests.run(session, 33, 2, true, 1);
                Requests.run(session, 33, 2, true, 2);
            }
            assertThat(prompts(server).subList(2, 4).stream().distinct()).hasSize(1);
        }
    }

    @Test
    void whatIsUncheckedIsNotTold() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(3));
                TargetSession session = Requests.open(server.url(), Map.of("prefixCache", "unchecked"))) {
            assertThat(Requests.run(session, 33, 2, true, 1).cachedPromptTokens())
                    .isEmpty();
            assertThat(session.description().settings()).containsEntry("prefix cache", "unchecked");
        }
    }

    private static List<String> prompts(ScriptedServer server) {
        return server.requests().stream()
                .filter(OverASocketTest::isMeasured)
                .map(r -> r.body().replaceAll(".*\"content\":\"([^\"]*)\".*", "$1"))
                .toList();
    }
}
