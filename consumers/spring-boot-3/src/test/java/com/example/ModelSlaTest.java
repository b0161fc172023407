package com.example;

import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.Test;

class ModelSlaTest {

    @Test
    @LatencyBudget(promptTokens = 16, outputTokens = 4, requests = 40, ttftMs = 5_000, ttftPercentile = 50)
    void answersInTime() {}
}
