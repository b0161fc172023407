package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prompts are counted without generating where the server can, and only once it has shown to count as its usage does. */
@Timeout(60)
class ServerTokenizerTest {

    private static final String WORDS = ".*\"(?:content|prompt)\":\"([^\"]*)\".*";

    /** Counts words and BOS as the script does, and so many more. */
    private static Function<ServedRequest, Answer> tokenizing(int more, String format) {
        OpenAiScript script = new OpenAiScript(0, 0);
        return request -> {
            if (!request.path().equals("/tokenize")) {
                return script.apply(request);
            }
            String words = request.body().replaceAll(WORDS, "$1").strip();
            int tokens = 1 + more + (words.isEmpty() ? 0 : words.split(" ").length);
            return Answer.of(200, "application/json", format.formatted(tokens, "0" + ",0".repeat(tokens - 1)));
        };
    }

    private static List<ServedRequest> asked(ScriptedServer server, String path) {
        return server.requests().stream()
                .filter(r -> r.path().endsWith(path) && !r.body().contains("\"stream\":true"))
                .toList();
    }

    private static void runs(ScriptedServer server, Map<String, String> options) {
        try (TargetSession session = Requests.open(server.url(), options)) {
            TokenTrace trace = Requests.run(session, 33, 2, true, 1);
            assertThat(trace.reason()).isEmpty();
        }
    }

    @Test
    void vllmIsAskedForChatsWithTheirTemplate() {
        try (ScriptedServer server = ScriptedServer.start(tokenizing(0, "{\"count\":%d,\"tokens\":[%s]}"))) {
            runs(server, Map.of("server", "vllm"));

            assertThat(asked(server, "/completions"))
                    .as("one to see that both agree")
                    .hasSize(1);
            assertThat(asked(server, "/tokenize")).hasSizeGreaterThan(1);
            assertThat(asked(server, "/tokenize").get(0).body())
                    .startsWith("{\"model\":\"scripted\",\"messages\":[{\"role\":\"user\",\"content\":\"")
                    .endsWith("\"}],\"add_generation_prompt\":true}");
        }
    }

    @Test
    void llamaCppIsAskedForCompletionsAndCountsByItsTokens() {
        try (ScriptedServer server = ScriptedServer.start(tokenizing(0, "{\"ignored\":%d,\"tokens\":[%s]}"))) {
            runs(server, Map.of("server", "llama.cpp", "api", "completions"));

            assertThat(asked(server, "/completions")).hasSize(1);
            assertThat(asked(server, "/tokenize").get(0).body()).endsWith("\",\"add_special\":true}");
        }
        try (ScriptedServer server = ScriptedServer.start(tokenizing(0, "{\"ignored\":%d,\"tokens\":[%s]}"))) {
            runs(server, Map.of("server", "llama.cpp"));

            assertThat(asked(server, "/tokenize"))
                    .as("it knows nothing of the template of a chat")
                    .isEmpty();
        }
    }

    @Test
    void oneThatCountsOtherwiseThanUsageIsAskedOnce() {
        try (ScriptedServer server = ScriptedServer.start(tokenizing(3, "{\"count\":%d,\"tokens\":[%s]}"))) {
            runs(server, Map.of("server", "vllm", "api", "completions"));

            assertThat(asked(server, "/tokenize")).hasSize(1);
            assertThat(asked(server, "/completions")).hasSizeGreaterThan(1);
        }
    }

    @Test
    void aServerWithoutItIsAskedOnceAndOthersNever() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            runs(server, Map.of("server", "vllm"));

            assertThat(asked(server, "/tokenize")).hasSize(1);
        }
        try (ScriptedServer server = ScriptedServer.start(tokenizing(0, "{\"count\":%d,\"tokens\":[%s]}"))) {
            runs(server, Map.of());

            assertThat(asked(server, "/tokenize")).isEmpty();
        }
    }
}
