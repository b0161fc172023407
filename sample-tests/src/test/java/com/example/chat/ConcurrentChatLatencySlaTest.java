package com.example.chat;

import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An SLA for several users at once. Requests in flight share the engine's steps, so four of them count as one sample, and there are
 * two series of samples: a P95 at 95% confidence takes some 2 x 4 x 64 = 512 requests, and 744 leave room for an outlier. The report
 * shows the batch over time, and whose prompt made whom wait.
 */
class ConcurrentChatLatencySlaTest {

    @Test
    @DisplayName("four users at once: TTFT P95 at most 300 ms, ITL P95 at most 50 ms")
    @LatencyBudget(promptTokens = 32, outputTokens = 8, concurrency = 4, requests = 744, ttftMs = 300, itlP95Ms = 50)
    void servesFourUsersAtOnce() {}
}
