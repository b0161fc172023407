package com.example.chat;

import io.github.latencybudget.junit.InferenceTarget;
import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.Test;

/**
 * A budget that Llama 2 7B in half precision breaks on any GPU there is: reading its weights once takes longer. It shows what a
 * broken budget looks like; a build does not run it, because its name does not end in {@code Test}.
 */
@InferenceTarget(model = "synthetic:llama2-7b", device = "cuda:0", dtype = "fp16")
class TooStrictOnAGpu {

    @Test
    @LatencyBudget(promptTokens = 512, ttftMs = 450, itlP95Ms = 1)
    void asksForTooMuch() {}
}
