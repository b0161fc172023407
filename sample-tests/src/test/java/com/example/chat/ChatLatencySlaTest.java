package com.example.chat;

import static io.github.latencybudget.assertj.LatencyAssertions.assertThat;

import io.github.latencybudget.junit.LatencyBudget;
import io.github.latencybudget.junit.ThroughputBudget;
import io.github.latencybudget.trace.Measurement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The team's SLAs. They name no model and no device, so they run on both: by default on the synthetic {@code tiny} model on the
 * CPU, and with {@code -Dlatencybudget.device=cuda:0 -Dlatencybudget.model=synthetic:llama2-7b} on a GPU.
 */
class ChatLatencySlaTest {

    @Test
    @DisplayName("TTFT by prompt length, ITL P95 at most 50 ms")
    @LatencyBudget(promptTokens = 128, outputTokens = 16, requests = 400, ttftMs = 300, itlP95Ms = 50)
    @LatencyBudget(promptTokens = 512, outputTokens = 16, requests = 400, ttftMs = 450, itlP95Ms = 50)
    @LatencyBudget(promptTokens = 1024, outputTokens = 16, requests = 400, ttftMs = 800, itlP95Ms = 50)
    void startsInTimeAtEveryPromptLength() {}

    @Test
    @DisplayName("a whole short answer within a second")
    @LatencyBudget(promptTokens = 128, outputTokens = 16, e2eP95Ms = 1000)
    void answersWithinASecond(Measurement measurement) {
        assertThat(measurement).isWarm().completedAllRequests().hasItlP50AtMost(Duration.ofMillis(25));
    }

    @Test
    @DisplayName("at least 20 tokens per second, for these conditions")
    @ThroughputBudget(
            promptTokens = 128,
            concurrency = 1,
            temperature = 0,
            topP = 1,
            maxDeviceMemoryGiB = 80,
            minDecodeTgs = 20,
            outputTokens = 16)
    void generatesFastEnough() {}
}
