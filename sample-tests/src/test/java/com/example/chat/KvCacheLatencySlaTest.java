package com.example.chat;

import io.github.latencybudget.junit.InferenceTarget;
import io.github.latencybudget.junit.LatencyBudget;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a KV cache does to ITL at a short prompt: the same limit with it and without it, side by side in the report. Without one,
 * each token takes all tokens before it again. Targets with different options are models of their own in memory, so this one is small
 * whatever model the others take.
 */
class KvCacheLatencySlaTest {

    @Test
    @DisplayName("ITL P95 at most 50 ms, prompt of 16 tokens, KV cache on")
    @InferenceTarget(model = "synthetic:tiny", options = "useCache=on")
    @LatencyBudget(promptTokens = 16, outputTokens = 16, itlP95Ms = 50)
    void keepsKeysAndValues() {}

    @Test
    @DisplayName("ITL P95 at most 50 ms, prompt of 16 tokens, KV cache off")
    @InferenceTarget(model = "synthetic:tiny", options = "useCache=off")
    @LatencyBudget(promptTokens = 16, outputTokens = 16, itlP95Ms = 50)
    void computesThemAgain() {}
}
