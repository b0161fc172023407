package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server's headers say of its work, and what they do not. */
@Timeout(60)
class ServerWordsTest {

    private static SortedMap<String, Double> words(String kind) {
        OpenAiScript script = new OpenAiScript(0, 0);
        try (ScriptedServer server = ScriptedServer.start(request -> script.apply(request)
                        .header("openai-processing-ms", "2")
                        .header("x-queue-time", "7"));
                TargetSession session = Requests.open(server.url(), Map.of("server", kind))) {
            return Requests.run(session, 8, 4, true, 1).exchange().orElseThrow().server();
        }
    }

    @Test
    void theProcessingTimeOfAStreamIsToldWhereItIsOne() {
        assertThat(words("openai")).containsOnly(Map.entry("processing ms", 2.0), Map.entry("queue ms", 7.0));
        assertThat(words("llama-cpp-python")).containsOnly(Map.entry("queue ms", 7.0));
    }
}
