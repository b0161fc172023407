package com.example;

import io.github.latencybudget.junit.LatencyBudget;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OtherSlaTest {

    private static final String MODEL = "latencybudget.model";
    private static ScriptedServer server;

    @BeforeAll
    static void serve() {
        server = ScriptedServer.start(new OpenAiScript(5_000_000, 1_000_000));
        System.setProperty(MODEL, "openai:" + server.url());
    }

    @AfterAll
    static void stop() {
        System.clearProperty(MODEL);
        server.close();
    }

    @Test
    @LatencyBudget(promptTokens = 16, outputTokens = 4, requests = 40, ttftMs = 5_000, ttftPercentile = 50)
    void answersInTime() {}
}
