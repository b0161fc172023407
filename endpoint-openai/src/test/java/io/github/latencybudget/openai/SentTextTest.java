package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a server repeats of a user's prompt comes into no reason. */
class SentTextTest {

    private static final String PROMPT = "the diary says that he never paid the rent of May";
    private static final String CALL = "/v1/chat/completions";
    private static final String NOT_TAKEN =
            ", which does not take the request; where it does not know a field, name its kind by the option server";

    private static String reason(Answer answer) {
        OpenAiScript other = new OpenAiScript(0, 0);
        try (ScriptedServer server = ScriptedServer.start(r -> r.body().contains(PROMPT) ? answer : other.apply(r));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            Generation generation =
                    session.converse().prepare(new Turn(new Said.Text(PROMPT), 3, false, Sampling.GREEDY, 5));
            TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 3);
            recorder.start(0, generation.promptTokens(), 3, false);
            try {
                generation.run(recorder);
                return "";
            } catch (Exception e) {
                return String.valueOf(e.getMessage()).replace(server.url(), "");
            }
        }
    }

    @Test
    void theInputThatAnErrorListsIsNotSaid() {
        assertThat(reason(Answer.of(422, "application/json", """
                {"detail":[{"type":"too_long","loc":["body"],"msg":"Input is too long","input":"%s"}]}""".formatted(PROMPT))))
                .isEqualTo("422 from " + CALL + NOT_TAKEN + ": Input is too long");
        assertThat(reason(Answer.of(422, "application/json", """
                {"errors":{"input":"%s"}}""".formatted(PROMPT))))
                .isEqualTo("422 from " + CALL + NOT_TAKEN);
    }

    @Test
    void whatAMessageRepeatsIsCut() {
        assertThat(reason(Answer.of(400, "application/json", """
                {"error":{"message":"cannot encode '%s' here"}}""".formatted(PROMPT))))
                .isEqualTo("400 from " + CALL + NOT_TAKEN + ": cannot encode '[sent]' here");
        assertThat(reason(Answer.stream()
                        .then(
                                0,
                                "data: {\"error\":{\"message\":\"stopped at '%s'\"}}\n\n"
                                        .formatted(PROMPT.substring(4)))))
                .isEqualTo(CALL + ": the server sent an error inside the stream: stopped at '[sent]'");
    }

    @Test
    void aBodyWithoutAMessageIsNotSaid() {
        assertThat(reason(Answer.of(500, "text/plain", PROMPT)))
                .isEqualTo("500 from " + CALL + "; see the server's log");
        assertThat(reason(Answer.of(200, "text/plain", "an answer to: " + PROMPT)))
                .isEqualTo(
                        CALL
                                + " answered with text/plain in place of text/event-stream, so there is no time of a first token; see that it streams, and that no proxy before it collects");
    }

    @Test
    void runsOfSixteenCharactersAreCut() {
        SentText sent = new SentText(List.of("0123456789abcdef-", "zyxwvutsrqponmlkjihg"));

        assertThat(sent.cutFrom("0123456789abcde")).isEqualTo("0123456789abcde");
        assertThat(sent.cutFrom("a 0123456789abcdef b yxwvutsrqponmlkji c")).isEqualTo("a [sent] b [sent] c");
        assertThat(sent.cutFrom("0123456789abcdefzyxwvutsrqponmlk")).isEqualTo("[sent][sent]");
        assertThat(sent).hasToString("2 texts");
        assertThat(SentText.NONE.cutFrom("0123456789abcdef-")).isEqualTo("0123456789abcdef-");
    }
}
