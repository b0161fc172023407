package com.example;

import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.Test;

/** Run by the other test. */
class GateSlaTest {

    @Test
    @LatencyBudget(promptTokens = 16, ttftMs = 5_000)
    void answersInTime() {}
}
