package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryTest {

    @TempDir
    Path folder;

    @Test
    void theWholeSummary() throws IOException {
        RecordStore store = Samples.store(folder);
        Measurement measurement = Samples.steady("a](b)|`c`<script>", 64, 16, r -> (200 + 37 * r % 64) * MILLI);
        RecordStore.Attempt attempt = store.start(gate("chat"), "Chat | SLA");
        attempt.measured(measurement);
        Samples.judge(
                attempt,
                Budget.of(
                        LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(300)),
                        LatencyRule.itl(Percentile.P95, Duration.ofNanos(10_040_000))),
                measurement,
                Samples.PASSED);
        store.start(gate("big"), "Big").broken("first line\n| second https://example.com *line*");
        store.skip(gate("gpu"), "gpu(Measurement)", "no NVIDIA GPU");

        Samples.report(store, folder);

        assertThat(Files.readString(folder.resolve("summary.md"))).isEqualTo("""
                ## 2 of 3 gates fail: 1 breached, 1 ended by an error

                3 gates: 0 passed, 1 breached, 0 inconclusive, 1 ended by an error, 1 skipped

                - **When**: 2026-01-01 12:00:00 UTC to 2026-01-01 12:00:00 UTC
                - **Device**: NVIDIA H200
                - **Model**: a\\](b)\\|\\`c\\`&lt;script&gt;
                - **Run**: 20260101T120000-4711
                - **Manifest of gates**: none: a gate that was deleted would not be noticed
                - **Records**: 3

                | Verdict | Gate | Rule | Observed | Limit | Evidence |
                |---|---|---|---|---|---|
                | PASS | Chat \\| SLA | TTFT P95 at most 300.0 ms for prompts of 128 tokens | 260.0 ms | at most 300.0 ms | at least 255.0 ms and at most 263.0 ms, each with 95% confidence; 64 requests, 0 beyond the limit; decided after 64 of at most 64 requests |
                | BREACH | Chat \\| SLA | ITL P95 at most 10.04 ms | 20.0 ms | at most 10.04 ms | at least 20.0 ms and at most 20.0 ms, each with 95% confidence; 960 gaps of 64 requests, 960 beyond the limit; decided after 2 of at most 64 requests |
                | ERROR | Big | - | - | - | - |
                | SKIPPED | ChatSlaTest.gpu(Measurement) | - | - | - | - |

                ### Findings and errors

                - **Big**: Error: first line \\| second https\\://example.com \\*line\\*
                - **ChatSlaTest.gpu(Measurement)**: Skipped: no NVIDIA GPU

                ### Conditions

                - **Chat \\| SLA** (BREACHED): Model: a\\](b)\\|\\`c\\`&lt;script&gt;; Weights: synthetic, seed 42; Data type: fp16; Device: NVIDIA H200; Prompt lengths, tokens: 128 (64 requests); Output tokens per request: 16; Sampling: greedy; Concurrency: 1; Peak device memory: 14.4 GiB; Requests: 64 started, 64 completed; Warm: yes; Prefix cache: unchecked; Started: 2026-01-01 12:00:00 UTC
                - **Big** (ERROR): nothing was measured
                - **ChatSlaTest.gpu(Measurement)** (SKIPPED): nothing was measured
                """);
    }

    @Test
    void aGateThatFailsWhileItsRulesHoldHasARowOfItsOwn() throws IOException {
        RecordStore store = Samples.store(folder);
        Measurement measurement = Samples.steady("model", 64, 16, r -> 200 * MILLI);
        Budget budget = Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(300)));
        for (TestEnding ending : List.of(Samples.PASSED, new TestEnding(TestEnding.Status.FAILED, "no answer"))) {
            RecordStore.Attempt attempt =
                    store.start(gate(ending.status().name()), ending.status().name());
            attempt.measured(measurement);
            Samples.judge(attempt, budget, measurement, ending);
        }

        Samples.report(store, folder);

        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains(
                        "|---|---|---|---|---|---|\n| TEST NOT PASSED | FAILED | - | - | - | - |\n| PASS | FAILED | TTFT")
                .containsOnlyOnce("| - | - | - | - |");
    }

    /** What a terminal or a browser would act on instead of showing it. */
    @Test
    void controlCharactersAreShownAsSuch() throws IOException {
        RecordStore store = Samples.store(folder);
        store.start(gate("odd"), "a\u001b[31mb\u202ec\0d").broken("e\u0007f\u2066g");

        Samples.report(store, folder);

        for (String file : List.of("summary.md", "index.html")) {
            assertThat(Files.readString(folder.resolve(file)))
                    .contains("u202Ec", "u0000d", "u0007f", "u2066g")
                    .doesNotContain("\u001b", "\u202e", "\0", "\u0007", "\u2066");
        }
    }

    /** Case 35, in Markdown. */
    @Test
    void noValueBreaksOutOfItsLine() throws IOException {
        ReportExample.write(folder);
        Samples.report(Samples.store(folder), folder);

        String summary = Files.readString(folder.resolve("summary.md"));

        assertThat(summary).doesNotContain("<script", "\nsecond line", "<b>").doesNotContainPattern("(?<!\\\\)\\]\\(");
        assertThat(summary.lines().filter(l -> l.startsWith("|")))
                .allSatisfy(row -> assertThat(row.replace("\\|", "").chars().filter(c -> c == '|'))
                        .hasSize(7));
    }
}
