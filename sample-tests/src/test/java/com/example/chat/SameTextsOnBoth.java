package com.example.chat;

import io.github.latencybudget.junit.LatencyBudget;
import io.github.latencybudget.junit.LocalAgainstServed;
import org.junit.jupiter.api.Test;

/**
 * The same prompts, word for word, on a model's folder and on a server of that model. Both are named on the command line; see
 * docs/local-against-served.md. Not one of the tests that run by themselves, for it needs a server.
 */
class SameTextsOnBoth {

    @Test
    @LatencyBudget(promptTokens = 32, outputTokens = 16, requests = 100, ttftMs = 300, tpotP95Ms = 50)
    @LatencyBudget(promptTokens = 96, outputTokens = 16, requests = 100, ttftMs = 300, tpotP95Ms = 50)
    @LocalAgainstServed
    void answerInTime() {}
}
