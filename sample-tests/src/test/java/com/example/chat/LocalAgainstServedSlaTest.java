package com.example.chat;

import io.github.latencybudget.junit.InferenceTarget;
import io.github.latencybudget.junit.LatencyBudget;
import io.github.latencybudget.junit.LocalAgainstServed;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.SharedPrompts;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * One load on a model in this process and on a server, side by side in the report. Without a server of your own, named by
 * {@code -Dlatencybudget.served.model=openai:http://localhost:8000/v1}, a scripted one takes its place: the first token after
 * 20 ms, then one every 5 ms.
 */
class LocalAgainstServedSlaTest {

    private static final String SERVED = "latencybudget.served.model";

    private static Optional<ScriptedServer> server = Optional.empty();

    @BeforeAll
    static void serve() {
        if (System.getProperty(SERVED) == null) {
            server = Optional.of(ScriptedServer.start(
                    new OpenAiScript(TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(5)).caching(0)));
            System.setProperty(SERVED, "openai:" + server.get().url());
        }
    }

    @AfterAll
    static void stop() {
        server.ifPresent(s -> {
            System.clearProperty(SERVED);
            s.close();
        });
    }

    /** A synthetic model has no tokenizer, so only the lengths of the prompts can be the same. */
    @Test
    @DisplayName("TTFT P95 at most 300 ms and ITL P95 at most 50 ms, here and on the server")
    @LatencyBudget(promptTokens = 128, outputTokens = 16, requests = 100, ttftMs = 300, itlP95Ms = 50)
    @LocalAgainstServed(local = @InferenceTarget, served = @InferenceTarget, prompts = SharedPrompts.LENGTHS)
    void answersInTimeOnBoth() {}
}
