package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of an answer that was not streamed its E2E is known and how many tokens it has; when they came is not. */
@Timeout(60)
class WholeAnswerTest {

    private static final String WHOLE =
            "{\"choices\":[{\"message\":{\"reasoning_content\":\"r\",\"content\":\"a\"},\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":4,\"completion_tokens_details\":{\"reasoning_tokens\":1},\"prompt_tokens_details\":{\"cached_tokens\":3}}}";

    /** Answers measured requests like this; they are those for four tokens. */
    private static Function<ServedRequest, Answer> answering(Answer answer) {
        OpenAiScript other = new OpenAiScript(0, 0);
        return request -> request.body().contains("\"max_tokens\":4") ? answer : other.apply(request);
    }

    private static TokenTrace run(Answer answer, Map<String, String> options) {
        try (ScriptedServer server = ScriptedServer.start(answering(answer));
                TargetSession session = Requests.open(server.url(), options)) {
            return Requests.run(session, 8, 4, true, 1);
        }
    }

    private static void isWhole(TokenTrace trace) {
        assertThat(trace.reason()).isEmpty();
        assertThat(trace.outputTokens()).isEqualTo(4);
        assertThat(StreamMetrics.e2eNanos(trace).getAsLong()).isPositive();
        assertThat(StreamMetrics.requestTgs(trace)).isPresent();
        assertThat(StreamMetrics.ttftNanos(trace)).isEmpty();
        assertThat(StreamMetrics.ttfoNanos(trace)).isEmpty();
        assertThat(StreamMetrics.tpotNanos(trace)).isEmpty();
        assertThat(StreamMetrics.gapNanos(trace)).isEmpty();
    }

    @Test
    void aServerThatStreamsIsAskedNotTo() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url(), Map.of("stream", "false"))) {
            isWhole(Requests.run(session, 8, 4, true, 1));

            ServedRequest last = server.requests().get(server.requests().size() - 1);
            assertThat(last.body()).contains("\"stream\":false").doesNotContain("stream_options");
            assertThat(last.header("accept")).isEqualTo("application/json");
            assertThat(session.description().settings()).containsEntry("stream", "off");
        }
    }

    @Test
    void aServerThatIsAskedToStreamAndDoesNotIsReadAsItIs() {
        TokenTrace trace = run(Answer.of(200, "application/json; charset=utf-8", WHOLE), Map.of());

        isWhole(trace);
        assertThat(trace.cachedPromptTokens()).hasValue(3);
        assertThat(trace.exchange().orElseThrow().tokenSource()).isEqualTo("usage");
        assertThat(trace.exchange().orElseThrow().reasoningTokens()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"choices":[{"message":{"content":"a"}}]} | the answer was not streamed and has no usage.completion_tokens, so how many tokens came is not known; name the model's tokenizer.json by the option tokenizer
            {"error":{"message":"out of memory"}} | {url}: the server sent an error in place of an answer: out of memory
            {"id":1} | {url}: the answer has no `choices`: is this an OpenAI-compatible API?
            {"choices" | {url}: the answer is not valid JSON: see what the server sends
            {"choices":[{"finish_reason":"error"}]} | {url}: the server ended the answer with finish_reason: error; see its log
            {"choices":[{}],"usage":{"prompt_tokens":9,"completion_tokens":4}} | the server counts 9 prompt tokens where 8 are declared; name the model's tokenizer.json by the option tokenizer, or another prompt length
            """)
    void whatIsNoAnswerFails(String body, String reason) {
        try (ScriptedServer server = ScriptedServer.start(answering(Answer.of(200, "application/json", body)));
                TargetSession session = Requests.open(server.url(), Map.of("stream", "false"))) {
            TokenTrace trace = Requests.run(session, 8, 4, true, 1);

            assertThat(trace.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(trace.reason()).contains(reason.replace("{url}", server.url() + "/v1/chat/completions"));
        }
    }

    @Test
    void anAnswerThatBreaksOffFails() {
        Answer half = Answer.of(200, "application/json", WHOLE.substring(0, 20)).ending(Answer.End.BREAK);

        assertThat(run(half, Map.of("stream", "false")).reason().orElseThrow())
                .endsWith(
                        ": the connection broke after 0 chunks (it was closed); see the server's log for why it ended the request");
    }

    @Test
    void anAnswerWithoutATokenIsEmpty() {
        Answer none =
                Answer.of(200, "application/json", WHOLE.replace("\"completion_tokens\":4", "\"completion_tokens\":0"));

        assertThat(run(none, Map.of()).outcome()).isEqualTo(Outcome.EMPTY);
    }

    @Test
    void aPageInPlaceOfAnAnswerIsNone() {
        assertThat(run(Answer.of(200, "text/html", "<html>login</html>"), Map.of())
                        .reason()
                        .orElseThrow())
                .endsWith(
                        " answered with text/html in place of text/event-stream, so there is no time of a first token; see that it streams, and that no proxy before it collects: <html>login</html>");
    }

    @Test
    void theTextIsCountedWithItsReasoning() throws AnswerFault {
        assertThat(WholeAnswer.of(WHOLE.getBytes(StandardCharsets.UTF_8)).text())
                .isEqualTo("ra");
        assertThat(WholeAnswer.of(WHOLE.getBytes(StandardCharsets.UTF_8)).said())
                .hasValue("a");
        String call = WHOLE.replace("\"content\":", "\"tool_calls\":[{\"id\":\"1\"}],\"content\":");
        assertThat(WholeAnswer.of(call.getBytes(StandardCharsets.UTF_8)).said()).isEmpty();
        assertThatThrownBy(() -> WholeAnswer.of("[]".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("the answer has no `choices`: is this an OpenAI-compatible API?");
    }
}
