package com.example

import io.github.latencybudget.junit.LatencyBudget
import org.junit.jupiter.api.Test

class ModelSlaTest {

    @Test
    @LatencyBudget(promptTokens = 16, outputTokens = 4, requests = 40, ttftMs = 5000.0, ttftPercentile = 50.0)
    fun `answers in time`() {}
}
