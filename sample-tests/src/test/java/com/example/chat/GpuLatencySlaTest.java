package com.example.chat;

import io.github.latencybudget.junit.InferenceTarget;
import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.Test;

/**
 * An SLA that means one thing only: Llama 2 7B in half precision on a GPU. Where there is none it is skipped, with the reason in
 * the report; with {@code -Dlatencybudget.gpu=required} it fails instead.
 */
@InferenceTarget(model = "synthetic:llama2-7b", device = "cuda:0", dtype = "fp16")
class GpuLatencySlaTest {

    @Test
    @LatencyBudget(promptTokens = 128, ttftMs = 300, itlP95Ms = 50)
    @LatencyBudget(promptTokens = 512, ttftMs = 450, itlP95Ms = 50)
    @LatencyBudget(promptTokens = 2048, ttftMs = 800, itlP95Ms = 50)
    void holdsTheSlaOnAGpu() {}

    /** Each waits for the prompts of the others: 95% shown at 95% confidence takes 64 requests for each one in flight. */
    @Test
    @LatencyBudget(promptTokens = 512, concurrency = 4, requests = 560, ttftMs = 450, itlP95Ms = 50)
    void holdsTheSlaOnAGpuWithFourRequestsInFlight() {}
}
