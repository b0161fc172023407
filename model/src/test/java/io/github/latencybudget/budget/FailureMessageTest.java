package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Whole messages, as a developer reads them in the log of a build. */
final class FailureMessageTest {

    private static final Rule TTFT =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));
    private static final Rule ITL = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));
    private static final Rule DECODE_TGS = new ThroughputRule(
            Metric.DECODE_TGS,
            Percentile.P95,
            51.25,
            ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30));

    @Test
    void anEndpointIsSaidToBeServedOnce() {
        assertThat(describe(run(1, 100 * MS).weights("served", "as served"), TTFT))
                .startsWith("[Llama-2-7b as served | prompt 512 |");
        assertThat(describe(run(1, 100 * MS).weights("served", "bf16"), TTFT))
                .startsWith("[Llama-2-7b bf16 served | prompt 512 |");
    }

    @Test
    void breachOfGapsThatGrow() {
        long[] growing = LongStream.range(24, 64).map(ms -> ms * MS + 123_456).toArray();

        assertThat(describe(run(64, 400 * MS, growing), ITL)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 41 | greedy | warm | concurrency 1 | NVIDIA H200]
                        BREACH  ITL P95 at most 50.0 ms: observed 61.1 ms, 11.1 ms (22.2%) over
                                at least 61.1 ms and at most 63.1 ms, each with 95% confidence
                                nearest rank 2432 of 2560 gaps from 64 requests, 896 beyond the limit; P50 43.1 ms, P95 61.1 ms, P99 63.1 ms, max 63.1 ms
                                decided after 4 of at most 64 requests by a sequential betting test over requests (the gaps of one request count as one sample)
                                mean gap 28.1 ms at tokens 2 to 10, 58.6 ms at the last 10; peak device memory 20.0 GiB""");
    }

    @Test
    void oneNanosecondOver() {
        assertThat(describe(run(64, 450 * MS + 1), TTFT)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                        BREACH  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 450.000001 ms, 0.000001 ms (under 0.1%) over
                                at least 450.000001 ms and at most 450.000001 ms, each with 95% confidence
                                nearest rank 61 of 64 values from 64 requests, 64 beyond the limit; P50 450.0 ms, P95 450.0 ms, P99 450.0 ms, max 450.0 ms
                                decided after 2 of at most 64 requests by a sequential betting test over requests""");
    }

    @Test
    void aFractionOfANanosecondOver() {
        Rule tpot = LatencyRule.tpot(Percentile.P95, Duration.ofMillis(20));

        assertThat(describe(run(64, MS, 20 * MS, 20 * MS, 20 * MS, 20 * MS + 1), tpot))
                .contains("TPOT P95 at most 20.0 ms: observed 20.0000003 ms, 0.0000003 ms (under 0.1%) over");
    }

    @Test
    void aLimitIsPrintedWithAllItsDecimals() {
        assertThat(LatencyRule.itl(Percentile.P95, Duration.ofNanos(12_345_678)).text())
                .isEqualTo("ITL P95 at most 12.345678 ms");
        assertThat(LatencyRule.itl(Percentile.P95, Duration.ofNanos(1)).text())
                .isEqualTo("ITL P95 at most 0.000001 ms");
        assertThat(LatencyRule.itl(Percentile.P95, Duration.ofDays(100)).text())
                .isEqualTo("ITL P95 at most 8640000000.0 ms");
    }

    @Test
    void tooFewRequests() {
        assertThat(describe(run(5, 400 * MS), TTFT)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                could not be shown with 95% confidence from 5 requests with 0 of 5 values beyond the limit; needs 64 requests if no further value is beyond it
                                at least 400.0 ms with 95% confidence; no upper bound yet
                                nearest rank 5 of 5 values from 5 requests, 0 beyond the limit; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms""");
    }

    @Test
    void lessConfidenceThanUsualIsSaidOnTheLineItself() {
        Verdicts verdicts = new Budget(List.of(TTFT), new Confidence(0.8))
                .evaluate(run(35, 400 * MS).planned(512, 200).measurement());

        assertThat(verdicts.describe()).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                                measured 35 of at most 200 requests, about 162 s saved
                        PASS  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms (at 80% confidence only)
                                at least 400.0 ms and at most 400.0 ms, each with 80% confidence
                                nearest rank 34 of 35 values from 35 requests, 0 beyond the limit; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms
                                decided after 35 of at most 200 requests by a sequential betting test over requests""");
    }

    /** Slow and fast minutes: what is seen of one request says something of the next. */
    @Test
    void successiveRequestsThatResembleOneAnother() {
        Traces slowAndFast = run();
        for (int i = 0; i < 70; i++) {
            slowAndFast.add(1, (i / 8 % 2 == 0 ? 300 : 400) * MS + i);
        }

        assertThat(describe(slowAndFast, TTFT))
                .contains("from 70 requests, of which ")
                .contains(
                        " in a row count as one sample for successive ones resemble one another (rank correlation 0.");
    }

    @Test
    void oneRequest() {
        assertThat(describe(run(1, 400 * MS), TTFT)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                could not be shown with 95% confidence from 1 request with 0 of 1 values beyond the limit; needs 64 requests if no further value is beyond it
                                no bound yet with 95% confidence
                                nearest rank 1 of 1 values from 1 request, 0 beyond the limit; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms""");
    }

    @Test
    void missingLength() {
        assertThat(describe(run().prompt(128).add(64, 400 * MS), TTFT)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 128 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: nothing observed
                                missing: no request with prompts of 512 tokens was measured (measured: 128)""");
    }

    @Test
    void warmUpThatDidNotSettle() {
        assertThat(describe(run(64, 400 * MS).cold(512), TTFT)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | not warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                not warm at a prompt length of 512 tokens: the last three of 4 warm-up runs do not agree within 20.0% or 1.00 ms (TTFT 400.0 ms, 500.0 ms, 400.0 ms; mean gap 20.0 ms, 20.0 ms, 20.0 ms); give the warm-up more runs, or quieten the machine
                                at least 400.0 ms and at most 400.0 ms, each with 95% confidence
                                nearest rank 61 of 64 values from 64 requests, 0 beyond the limit; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms
                                decided after 64 of at most 64 requests by a sequential betting test over requests""");
    }

    @Test
    void noWarmUp() {
        assertThat(describe(run(64, 400 * MS).withoutWarmUp(), TTFT)).startsWith("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | not warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                not warm: a prompt length of 512 tokens was measured without a warm-up; warm up every length that is measured
                        """);
    }

    @Test
    void failedRequests() {
        assertThat(describe(
                        run(62, 400 * MS).add(Outcome.FAILED, "status 503", 0).add(Outcome.EMPTY, "no token came", 0),
                        TTFT))
                .isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                could not be shown with 95% confidence from 62 requests with 0 of 62 values beyond the limit; needs 64 requests if no further value is beyond it; 2 of 64 requests did not complete: 1 x EMPTY: no token came, 1 x FAILED: status 503
                                at least 400.0 ms with 95% confidence; no upper bound yet
                                nearest rank 59 of 62 values from 62 requests, 0 beyond the limit; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms""");
    }

    @Test
    void noToken() {
        assertThat(describe(run().declaring(8).add(Outcome.EMPTY, "no token came", 0), TTFT, ITL))
                .isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 8 | greedy | warm | concurrency 1 | NVIDIA H200]
                        INCONCLUSIVE  TTFT P95 at most 450.0 ms for prompts of 512 tokens: nothing observed
                                no token: 0 of 1 requests gave one, so there is no TTFT; 1 of 1 requests did not complete: 1 x EMPTY: no token came
                        INCONCLUSIVE  ITL P95 at most 50.0 ms: nothing observed
                                no token: 0 of 1 requests gave one, so there is no ITL; 1 of 1 requests did not complete: 1 x EMPTY: no token came""");
    }

    @Test
    void breachOfARate() {
        assertThat(describe(run(64, 400 * MS, times(3, 20 * MS)), DECODE_TGS)).isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 4 | greedy | warm | concurrency 1 | NVIDIA H200]
                        BREACH  decode TGS of 95% of requests at least 51.25 tokens/s (prompts of 512 tokens, greedy, concurrency 1, within 24.0 GiB of device memory): observed 50.0 tokens/s, 1.25 tokens/s (2.4%) under
                                at least 50.0 tokens/s and at most 50.0 tokens/s, each with 95% confidence
                                nearest rank 61 of 64 values from 64 requests, 64 beyond the limit; median 50.0 tokens/s
                                decided after 2 of at most 64 requests by a sequential betting test over requests""");
    }

    @Test
    void aRateUnderAnotherConcurrency() {
        assertThat(describe(
                        run().together(8).add(1024, 400 * MS, times(3, 10 * MS)).concurrency(8), DECODE_TGS))
                .isEqualTo("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 4 | greedy | warm | concurrency 8 | NVIDIA H200]
                                system TGS 74.4 tokens/s (4096 tokens in 55.04 s), 8.0 requests in flight on average
                        INCONCLUSIVE  decode TGS of 95% of requests at least 51.25 tokens/s (prompts of 512 tokens, greedy, concurrency 1, within 24.0 GiB of device memory): observed 100.0 tokens/s
                                the run had a concurrency of 8, the rule is about 1
                                at least 100.0 tokens/s and at most 100.0 tokens/s, each with 95% confidence
                                nearest rank 973 of 1024 values from 1024 requests, 0 beyond the limit; median 100.0 tokens/s
                                decided after 1024 of at most 1024 requests by a sequential betting test over requests (8 in flight together count as one sample)""");
    }

    @Test
    void aSystemTgsIsNotStatedWithoutItsConditions() {
        assertThat(describe(run(64, 400 * MS).concurrency(8).memory(OptionalLong.empty()), ITL))
                .contains(
                        "system TGS not stated, for the device memory in use could not be read, and a TGS value without it says nothing");
    }

    @Test
    void tooFewRequestsWhereSeveralAreInFlight() {
        assertThat(describe(run(64, 400 * MS, times(3, 10 * MS)).concurrency(8), ITL))
                .contains("""
                        could not be shown with 95% confidence from 64 requests, of which 8 in flight together count as one sample, with 0 of 192 values beyond the limit; needs 1024 requests if no further value is beyond it""");
    }

    @Test
    void aBreachOfGapsThatOthersPromptsAreIn() {
        assertThat(describe(interrupted(), ITL).lines().toList())
                .contains(
                        "        2 of the 60 gaps above the limit contain the prefill of another request (longest 53.0 ms, requests 7, 8): bound the prompt length, or chunk prefills");
    }

    @Test
    void aBreachOfGapsThatNobodysPromptIsIn() {
        Traces traces = run(120, 400 * MS, times(3, 60 * MS)).concurrency(2).step(EngineStep.Kind.PREFILL, 0, MS, 0);

        assertThat(describe(traces, ITL).lines().toList())
                .contains("        none of the 360 gaps above the limit contains the prefill of another request");
    }

    @Test
    void nothingIsSaidOfOthersWhereThereAreNone() {
        assertThat(describe(interrupted().concurrency(1), ITL)).doesNotContain("prefill");
    }

    /** Sixty long gaps, of which the first two contain a prefill of somebody else. */
    private static Traces interrupted() {
        Traces traces = run().concurrency(2);
        for (int i = 0; i < 120; i++) {
            traces.add(1, 400 * MS, 10 * MS, i % 4 < 2 ? 60 * MS : 10 * MS);
        }
        return traces.step(EngineStep.Kind.PREFILL, 415 * MS, 468 * MS, 7, 8)
                .step(EngineStep.Kind.PREFILL, 1_415 * MS, 1_420 * MS, 9);
    }

    @Test
    void theLocaleChangesNothing() {
        Traces run = run(64, 1_400 * MS).cold(512);
        String inRoot = describe(run, TTFT, DECODE_TGS);
        Locale before = Locale.getDefault();
        try {
            for (String tag : List.of("de-DE", "ar-EG-u-nu-arab", "tr-TR")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                assertThat(describe(run, TTFT, DECODE_TGS)).isEqualTo(inRoot);
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    private static String describe(Traces run, Rule... rules) {
        return Budget.of(rules).evaluate(run.measurement()).describe();
    }
}
