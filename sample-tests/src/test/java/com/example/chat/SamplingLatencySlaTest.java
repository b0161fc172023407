package com.example.chat;

import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What drawing tokens does to ITL: the same limit under two conditions, side by side in the report. Greedy decoding, the default,
 * is in {@link ChatLatencySlaTest}.
 */
class SamplingLatencySlaTest {

    @Test
    @DisplayName("ITL P95 at most 50 ms, creative answers")
    @LatencyBudget(promptTokens = 128, outputTokens = 16, temperature = 0.95, topP = 0.95, itlP95Ms = 50)
    void drawsFromNearlyAll() {}

    @Test
    @DisplayName("ITL P95 at most 50 ms, focused answers")
    @LatencyBudget(promptTokens = 128, outputTokens = 16, temperature = 0.8, topP = 0.9, itlP95Ms = 50)
    void drawsFromTheMostProbable() {}
}
