package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Message.Role;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.Fault;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class OpenAiConversationTest {

    private static Turn turn(Said said) {
        return new Turn(said, 3, false, Sampling.GREEDY, 5);
    }

    private static Said user(String text) {
        return new Said.Messages(List.of(new Message(Role.USER, text)));
    }

    private static TokenTrace run(Conversation conversation, Said said) {
        Generation generation = conversation.prepare(turn(said));
        TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 3);
        recorder.start(0, generation.promptTokens(), 3, false);
        try {
            generation.run(recorder);
            return recorder.end();
        } catch (Exception e) {
            return recorder.fail(String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode lastBody(ScriptedServer server) throws IOException {
        return new JsonMapper()
                .readTree(server.requests().get(server.requests().size() - 1).body());
    }

    @Test
    void aTurnIsSentWithWhatWasSaidAndAnsweredBefore() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(2));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Conversation conversation = session.converse();
            TokenTrace first = run(
                    conversation,
                    new Said.Messages(
                            List.of(new Message(Role.SYSTEM, "be short"), new Message(Role.USER, "one two"))));
            TokenTrace second = run(conversation, user("three"));

            assertThat(first.reason()).isEmpty();
            assertThat(first.promptTokens())
                    .as("one token and four words, by the server's count")
                    .isEqualTo(5);
            assertThat(second.promptTokens())
                    .as("with an answer of three words")
                    .isEqualTo(9);
            assertThat(second.cachedPromptTokens()).hasValue(2);
            assertThat(lastBody(server).get("messages"))
                    .hasToString(
                            "[{\"role\":\"system\",\"content\":\"be short\"},{\"role\":\"user\",\"content\":\"one two\"},{\"role\":\"assistant\",\"content\":\" w w w\"},{\"role\":\"user\",\"content\":\"three\"}]");
        }
    }

    @Test
    void byCompletionsATextIsSentAsItIs() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url(), Map.of("api", "completions"))) {
            Conversation conversation = session.converse();
            assertThat(run(conversation, new Said.Text("one two")).promptTokens())
                    .isEqualTo(3);
            assertThat(lastBody(server).get("prompt").textValue()).isEqualTo("one two");

            run(conversation, new Said.Text("three"));
            assertThat(lastBody(server).get("prompt").textValue()).isEqualTo("one two\n w w w\nthree");
        }
    }

    @Test
    void tokensAreMadeOfWords() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            assertThat(run(session.converse(), new Said.Tokens(33)).promptTokens())
                    .isEqualTo(33);
        }
    }

    private static String event(String delta) {
        return "data: {\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n".formatted(delta);
    }

    /** Streams answers of these three tokens. */
    private static Function<ServedRequest, Answer> streaming(String first, String second, String third) {
        OpenAiScript others = new OpenAiScript(0, 0);
        Answer answer = Answer.stream()
                .then(0, event(first))
                .then(0, event(second))
                .then(0, event(third))
                .then(
                        0,
                        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n");
        return request -> request.body().contains("\"stream\":true") ? answer : others.apply(request);
    }

    @Test
    void reasoningIsNotSentBack() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(
                        streaming("\"reasoning_content\":\"hm\"", "\"content\":\"to\"", "\"content\":\"day\""));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Conversation conversation = session.converse();
            run(conversation, user("when"));
            run(conversation, user("why"));

            assertThat(lastBody(server).get("messages"))
                    .hasToString(
                            "[{\"role\":\"user\",\"content\":\"when\"},{\"role\":\"assistant\",\"content\":\"today\"},{\"role\":\"user\",\"content\":\"why\"}]");
        }
    }

    @Test
    void afterAToolCallTheNextTurnIsAFailedRequest() {
        String call = "\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]";
        try (ScriptedServer server = ScriptedServer.start(streaming("\"content\":\"so\"", call, call));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Conversation conversation = session.converse();
            assertThat(run(conversation, user("when")).outcome()).isEqualTo(Outcome.COMPLETED);
            int sent = server.requests().size();

            TokenTrace next = run(conversation, user("why"));

            assertThat(next.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(next.reason())
                    .hasValue(
                            "the text of the answer before is not known (it has a tool call), so this turn cannot be sent with it; leave tools out of what is sent, or measure single prompts");
            assertThat(server.requests()).hasSize(sent);
        }
    }

    @Test
    void withoutAnAnswerThereIsNoNextTurn() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(Fault.TOO_MANY, 0));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Conversation conversation = session.converse();
            assertThat(run(conversation, user("one")).outcome()).isEqualTo(Outcome.FAILED);

            assertThatThrownBy(() -> conversation.prepare(turn(user("two"))))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "the turn before has no answer, so there is nothing to go on with: begin another conversation");
        }
    }
}
