package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.Fault;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every fault ends its request in one outcome, with a reason that names the URL and the next step, and never with the key. */
@Timeout(60)
class FaultsTest {

    private static final String KEY = "canary-5f2a9c";

    private static final Map<String, String> OPTIONS = Map.of(
            "keyEnv",
            "SERVICE_KEY",
            "header.x-team",
            "other-canary",
            "betweenTokensSeconds",
            "2",
            "firstTokenSeconds",
            "3600");

    private static TokenTrace run(ScriptedServer server) {
        try (TargetSession session = Requests.open(server.url(), OPTIONS, Map.of("SERVICE_KEY", KEY))) {
            return Requests.run(session, 8, 4, true, 1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            BROKEN | FAILED | {base}/v1/chat/completions: the connection broke after 2 chunks (it was closed); see the server's log for why it ended the request
            RESET | FAILED | {base}/v1/chat/completions: the connection broke after 2 chunks (it was reset); see the server's log for why it ended the request
            INVALID_CHUNK | FAILED | {base}/v1/chat/completions: the answer is not valid HTTP (the size of a chunk is no number) after 0 chunks; see what the server or a proxy before it sends
            STALLED | FAILED | {base}/v1/chat/completions: no further token came within 2 s, after 2 chunks; see why the server is so slow, or raise the option betweenTokensSeconds
            TRUNCATED | TRUNCATED | the stream ended after 2 chunks with neither a finish reason nor [DONE]; see the server's log
            EMPTY | EMPTY | no token came, for the server ended the stream with [DONE] and no finish reason; see its log
            ERROR_EVENT | FAILED | {base}/v1/chat/completions: the server sent an error inside the stream: out of memory (code 500)
            MALFORMED_JSON | FAILED | {base}/v1/chat/completions: an event is not valid JSON (it ends too early): see what the server sends
            NO_CHOICES | FAILED | {base}/v1/chat/completions: an event has neither `choices` nor `usage`: is this an OpenAI-compatible API?
            INVALID_UTF8 | FAILED | {base}/v1/chat/completions: an event is not valid UTF-8: see what the server sends
            HUGE_EVENT | FAILED | {base}/v1/chat/completions: one event is longer than 1048576 bytes: a token comes in some hundred; see what the server sends
            UNAUTHORISED | FAILED | 401 from {base}/v1/chat/completions, which does not take the key from the variable SERVICE_KEY; see that it is the one for this server: Incorrect API key provided: Bearer ***
            FORBIDDEN | FAILED | 403 from {base}/v1/chat/completions, which the key from the variable SERVICE_KEY may not do; ask for permission to use the model scripted, or name another: Key Bearer *** may not do this
            NO_MODEL | FAILED | 404 from {base}/v1/chat/completions, which has no model scripted; there are scripted: The model `x` does not exist
            NO_PATH | FAILED | 404 from {base}/v1/chat/completions, where nothing is; see that the endpoint's URL is the base of the API, such as http://host:8000/v1: Not Found
            TOO_MANY | FAILED | 429 from {base}/v1/chat/completions, too many requests, which asks to wait 2 s; nothing was tried again: have fewer in flight, or measure later: Rate limit
            BAD_GATEWAY | FAILED | 502 from {base}/v1/chat/completions; see the server's log: Bad Gateway
            REDIRECT | FAILED | 307 from {base}/v1/chat/completions, a redirect to http://elsewhere.example/v1; it was not followed, so that no key goes there: write the endpoint's URL as where it leads
            NOT_A_STREAM | TRUNCATED | 2 of 4 output tokens came
            """)
    void aFaultSaysWhatItIs(Fault fault, Outcome outcome, String reason) {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(fault, 0))) {
            TokenTrace trace = run(server);

            assertThat(trace.outcome()).isEqualTo(outcome);
            assertThat(trace.reason()).contains(reason.replace("{base}", server.url()));
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void noFaultBringsTheKeyIntoAReason(Fault fault) {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(fault, 0))) {
            TokenTrace trace = run(server);

            assertThat(trace.outcome()).isNotEqualTo(Outcome.COMPLETED);
            assertThat(trace.toString()).doesNotContain("canary");
            assertThat(server.requests().get(0).header("authorization")).isEqualTo("Bearer " + KEY);
            assertThat(server.requests().get(0).header("x-team")).isEqualTo("other-canary");
        }
    }

    @Test
    void anEventThatIsTooLongIsNotReadToItsEnd() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(Fault.HUGE_EVENT, 0))) {
            run(server);

            assertThat(server.requests().get(server.requests().size() - 1).sentNanos())
                    .as("of 1,602 writes of 100 MB in all, as many as the buffers of a connection took")
                    .hasSizeLessThan(800);
        }
    }

    @Test
    void aServerThatNeitherEndsNorClosesAfterDoneIsNotWaitedFor() {
        OpenAiScript script = new OpenAiScript(0, 0);
        try (ScriptedServer server = ScriptedServer.start(request -> {
                    Answer answer = script.apply(request);
                    return request.body().contains("\"stream\":true") ? answer.ending(Answer.End.STALL) : answer;
                });
                TargetSession session = Requests.open(server.url(), Map.of("betweenTokensSeconds", "3600"))) {
            TokenTrace trace = Requests.run(session, 8, 4, true, 1);

            assertThat(trace.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(trace.exchange().orElseThrow().endNanos()).isNull();
        }
    }

    /** As llama-cpp-python does when another request comes. */
    @Test
    void aServerThatEndsAStreamItselfIsToldFromAModelThatDoes() {
        OpenAiScript script = new OpenAiScript(0, 0);
        try (ScriptedServer server = ScriptedServer.start(request -> {
                    Answer answer = script.apply(request);
                    return request.body().contains("\"stream\":true")
                            ? Fault.TRUNCATED.in(answer, request).then(0, "data: [DONE]\n\n")
                            : answer;
                });
                TargetSession session = Requests.open(server.url(), Map.of("server", "llama-cpp-python"))) {
            TokenTrace trace = Requests.run(session, 8, 4, true, 1);

            assertThat(trace.outcome()).isEqualTo(Outcome.TRUNCATED);
            assertThat(trace.reason())
                    .contains(
                            "2 of 4 output tokens came, for the server ended the stream with [DONE] and no finish reason; unless started with --interrupt_requests false, it does so when another request comes");
        }
    }

    @Test
    void theTokensBeforeAFaultAreKept() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(Fault.ERROR_EVENT, 0))) {
            assertThat(run(server).outputTokens()).isEqualTo(2);
        }
    }

    @Test
    void theSessionGoesOnAfterAFault() {
        try (ScriptedServer server =
                        ScriptedServer.start(new OpenAiScript(0, 0).failing(Fault.RESET, Integer.MAX_VALUE));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            assertThat(Requests.run(session, 8, 4, true, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        }
    }
}
