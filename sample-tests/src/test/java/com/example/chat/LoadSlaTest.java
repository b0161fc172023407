package com.example.chat;

import io.github.latencybudget.junit.LatencyBudget;
import io.github.latencybudget.junit.LoadSweep;
import io.github.latencybudget.junit.OpenLoop;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The same SLA at a rate, whatever became of the requests before, and at one number of users after the other. The limits are far from
 * what any machine needs for the small synthetic model that stands in for yours: set your own.
 */
class LoadSlaTest {

    /** A median takes fewer requests than a P95, and in an open loop they count by how many were in flight together. */
    @Test
    @DisplayName("20 requests/s: half of them have their first token within 2 s")
    @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 100, ttftMs = 2_000, ttftPercentile = 50)
    @OpenLoop(requestsPerSecond = 20)
    void answersInTimeAtTwentyPerSecond() {}

    @Test
    @DisplayName("up to 2 users at once: half of the requests have their first token within 2 s")
    @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 50, ttftMs = 2_000, ttftPercentile = 50)
    @LoadSweep(
            concurrency = {1, 2, 4},
            atLeast = 2)
    void answersInTimeUpToTwoUsers() {}
}
