package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of rule holds, is broken, and is not shown. */
final class RuleKindsTest {

    private static final PromptLength LENGTH = PromptLength.exactly(512);
    private static final ThroughputConditions CONDITIONS =
            ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);
    private static final Rule GOODPUT =
            GoodputRule.atLeast(0.95, RequestLimit.ttft(LENGTH, ms(450)), RequestLimit.itl(ms(50)));

    /** Each rule holds for a TTFT of 400 ms with gaps of 20 ms, and does not for ten times as much. */
    static Stream<Rule> rules() {
        return Stream.of(
                LatencyRule.ttfo(LENGTH, Percentile.P95, ms(450)),
                LatencyRule.icl(Percentile.P95, ms(50)),
                LatencyRule.itl(Percentile.of(90), ms(50)).forPrompts(LENGTH),
                MeanLatencyRule.ttft(LENGTH, ms(450)),
                MeanLatencyRule.ttfo(LENGTH, ms(450)),
                MeanLatencyRule.itl(ms(50)),
                MeanLatencyRule.icl(ms(50)),
                MeanLatencyRule.tpot(ms(50)),
                MeanLatencyRule.e2e(ms(700)),
                RequestItlRule.of(Percentile.P95, Percentile.P95, ms(50)),
                GOODPUT,
                GoodputRule.atLeast(0.95, RequestLimit.tpot(ms(50)), RequestLimit.e2e(ms(700))),
                new FluidityRule(LENGTH, ms(450), ms(50), 0.95),
                ThroughputRule.decodeTgs(Percentile.P95, 40, CONDITIONS),
                ThroughputRule.requestTgs(Percentile.P95, 10, CONDITIONS));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void eachIsShownToHoldAndToBeBrokenAndNeitherByTooFew(Rule rule) {
        assertThat(judge(rule, run(100, 400 * MS, times(9, 20 * MS))).status()).isEqualTo(Status.PASS);
        assertThat(judge(rule, run(100, 4_000 * MS, times(9, 200 * MS))).status())
                .isEqualTo(Status.BREACH);
        assertThat(judge(rule, run(5, 400 * MS, times(9, 20 * MS))).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void noneIsShownByARunOfNothing(Rule rule) {
        assertThat(judge(rule, run().planned(512, 100)).reason()).hasValue("missing: no request was measured");
    }

    static Stream<Arguments> words() {
        return Stream.of(
                arguments(
                        LatencyRule.ttfo(LENGTH, Percentile.P95, ms(450)),
                        "TTFO P95 at most 450.0 ms for prompts of 512 tokens"),
                arguments(LatencyRule.icl(Percentile.P95, ms(50)), "ICL P95 at most 50.0 ms"),
                arguments(MeanLatencyRule.itl(ms(50)), "mean ITL at most 50.0 ms"),
                arguments(
                        MeanLatencyRule.ttft(LENGTH, ms(450)), "mean TTFT at most 450.0 ms for prompts of 512 tokens"),
                arguments(
                        RequestItlRule.of(Percentile.P95, Percentile.P99, ms(50)),
                        "P95 of request ITL P99s at most 50.0 ms"),
                arguments(
                        GOODPUT,
                        "goodput at least 95.0% of requests (TTFT at most 450.0 ms for prompts of 512 tokens, ITL at most 50.0 ms)"),
                arguments(
                        new FluidityRule(LENGTH, ms(450), ms(50), 0.995),
                        "fluidity at least 99.5% for prompts of 512 tokens (TTFT 450.0 ms, ITL 50.0 ms)"),
                arguments(FailureRule.atMost(0.01), "failure share at most 1.0%"),
                arguments(DeviceMemoryRule.atMostBytes(20L << 30), "peak device memory at most 20.0 GiB"),
                arguments(
                        new SystemThroughputRule(100, CONDITIONS),
                        "system TGS at least 100.0 tokens/s (prompts of 512 tokens, greedy, concurrency 1, within 24.0 GiB of device memory)"));
    }

    @ParameterizedTest
    @MethodSource("words")
    void eachSaysWhatItIs(Rule rule, String text) {
        assertThat(rule.text()).isEqualTo(text);
    }

    @Test
    void aMeanThatHoldsSaysThatItIsShownAsymptotically() {
        assertThat(describe(MeanLatencyRule.ttft(LENGTH, ms(450)), run(80, 400 * MS)))
                .isEqualTo("""
                        PASS  mean TTFT at most 450.0 ms for prompts of 512 tokens: observed 400.0 ms
                                at least 380.3 ms and at most 400.0 ms, each with 95% confidence
                                mean of 80 requests; P50 400.0 ms, P95 400.0 ms, P99 400.0 ms, max 400.0 ms
                                decided after 64 of at most 80 requests by a sequential test (asymptotic) over requests""");
    }

    @Test
    void aMeanThatIsTooHighIsShownExactly() {
        assertThat(describe(MeanLatencyRule.ttft(LENGTH, ms(200)), run(80, 400 * MS)))
                .contains(
                        "BREACH  mean TTFT at most 200.0 ms for prompts of 512 tokens: observed 400.0 ms, 200.0 ms (100.0%) over")
                .endsWith("decided after 6 of at most 80 requests by a sequential betting test over requests");
    }

    @Test
    void aMeanOfTooFewSaysHowManyItTakes() {
        assertThat(judge(MeanLatencyRule.ttft(LENGTH, ms(450)), run(20, 400 * MS))
                        .reason())
                .hasValue(
                        "could not be shown with 95% confidence from 20 requests with a mean TTFT of 400.0 ms; needs 64 requests if it stays so");
        assertThat(judge(MeanLatencyRule.ttft(LENGTH, ms(450)), run(20, 450 * MS + MS))
                        .reason())
                .hasValue(
                        "could not be shown with 95% confidence from 20 requests with a mean TTFT of 451.0 ms; no number of requests like these would show it");
    }

    // Evaluation case 16, for means: what is exactly at the limit holds.
    @Test
    void aMeanAtTheLimitHoldsWhereNothingIsInDoubt() {
        assertThat(judge(MeanLatencyRule.ttft(LENGTH, ms(450)), run(64, 450 * MS))
                        .status())
                .isEqualTo(Status.PASS);
        assertThat(judge(MeanLatencyRule.ttft(LENGTH, ms(450)), run(64, 450 * MS + 1))
                        .status())
                .isEqualTo(Status.INCONCLUSIVE);
    }

    /** 95% of the requests hold the limit, and 95% of all gaps do not. */
    @Test
    void aPercentileOfRequestPercentilesCountsRequestsAndNotGaps() {
        Rule pooled = LatencyRule.itl(Percentile.P50, ms(50));
        Rule ofRequests = RequestItlRule.of(Percentile.P50, Percentile.of(100), ms(50));
        long[] oneIsSlow = times(9, 20 * MS);
        oneIsSlow[4] = 200 * MS;

        assertThat(judge(pooled, run(64, MS, oneIsSlow)).status()).isEqualTo(Status.PASS);
        assertThat(judge(ofRequests, run(64, MS, oneIsSlow)).status()).isEqualTo(Status.BREACH);
    }

    @Test
    void goodputCountsRequestsThatDidNotComplete() {
        Traces run = run();
        for (int i = 0; i < 30; i++) {
            run.add(Outcome.FAILED, "status 503", 0).add(3, 400 * MS, times(9, 20 * MS));
        }

        assertThat(describe(GOODPUT, run)).isEqualTo("""
                        BREACH  goodput at least 95.0% of requests (TTFT at most 450.0 ms for prompts of 512 tokens, ITL at most 50.0 ms): observed 75.0%, 20.0 points under
                                at least 60.9% and at most 84.9%, each with 95% confidence
                                30 of 120 requests not good
                                decided after 13 of at most 120 requests by a sequential betting test over requests
                                0.75 good requests per second
                        30 of 120 requests did not complete: 30 x FAILED: status 503""");
    }

    @Test
    void goodputCanHoldInSpiteOfAFailedRequest() {
        Traces run = run(199, 400 * MS, times(9, 20 * MS)).add(Outcome.FAILED, "status 503", 0);

        assertThat(judge(GOODPUT, run).status()).isEqualTo(Status.PASS);
    }

    @Test
    void goodputIsOnlyAboutLengthsThatItsTtftLimitsName() {
        assertThat(GOODPUT.appliesTo(512)).isTrue();
        assertThat(GOODPUT.appliesTo(128)).isFalse();
        assertThat(GOODPUT.scope()).isEqualTo("prompts of 512 tokens");
    }

    @Test
    void goodputIsUnknownWhereALimitIsAboutAValueThatIsNotThere() {
        Traces run = run().chunks(64, Chunks.ofUnknownSizes(new long[] {MS, 2 * MS}, 5));

        assertThat(judge(GOODPUT, run).reason())
                .hasValue(
                        "0 of 64 completed requests gave a value of goodput: it is not known which chunk held how many tokens; judge ICL or TPOT instead");
    }

    @Test
    void anItlRuleOnChunksOfUnknownSizesSaysWhatToJudgeInstead() {
        Traces run = run().chunks(64, Chunks.ofUnknownSizes(new long[] {MS, 2 * MS}, 5));

        assertThat(judge(LatencyRule.itl(Percentile.P95, ms(50)), run).reason())
                .hasValue(
                        "0 of 64 completed requests gave a value of ITL: it is not known which chunk held how many tokens; judge ICL or TPOT instead");
        assertThat(judge(LatencyRule.icl(Percentile.P95, ms(50)), run).status()).isEqualTo(Status.PASS);
        assertThat(judge(LatencyRule.tpot(Percentile.P95, ms(50)), run).status())
                .isEqualTo(Status.PASS);
    }

    @Test
    void fluidityIsTheShareOfTokensInTime() {
        Rule rule = new FluidityRule(LENGTH, ms(100), ms(20), 0.8);
        // Of each request the last of five tokens is late.
        Traces run = run(200, 100 * MS, 20 * MS, 20 * MS, 20 * MS, 21 * MS);

        Verdict verdict = judge(rule, run);

        assertThat(verdict.observed().getAsDouble()).isEqualTo(0.8);
        assertThat(verdict.line())
                .isEqualTo(
                        "INCONCLUSIVE  fluidity at least 80.0% for prompts of 512 tokens (TTFT 100.0 ms, ITL 20.0 ms): observed 80.0%");
        assertThat(verdict.reason())
                .hasValueSatisfying(
                        r -> assertThat(r)
                                .startsWith(
                                        "could not be shown with 95% confidence from 200 requests with 200 of 200 with a late token; needs "));
        assertThat(judge(new FluidityRule(LENGTH, ms(100), ms(20), 0.7), run).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(new FluidityRule(LENGTH, ms(100), ms(20), 0.9), run).status())
                .isEqualTo(Status.BREACH);
    }

    @Test
    void failuresAreCountedAmongAllRequests() {
        Rule rule = FailureRule.atMost(0.05);
        Traces some = run(199, MS).add(Outcome.TRUNCATED, "the stream broke off", 0, 1);
        Traces many = run(50, MS);
        for (int i = 0; i < 50; i++) {
            many.add(Outcome.EMPTY, "no token came", 0);
        }

        assertThat(judge(rule, some).status()).isEqualTo(Status.PASS);
        assertThat(judge(rule, some).observed()).hasValue(0.005);
        assertThat(judge(rule, many).status()).isEqualTo(Status.BREACH);
        assertThat(judge(rule, run(20, MS)).reason())
                .hasValue(
                        "could not be shown with 95% confidence from 20 requests with 0 of 20 not completed; needs 64 requests if every further one completes");
    }

    @Test
    void aFailureRuleIsTheJudgeOfFailuresForAllRulesOfItsBudget() {
        Rule ttft = LatencyRule.ttft(LENGTH, Percentile.P95, ms(450));
        Traces run = run(199, MS).add(Outcome.FAILED, "status 503", 0);

        assertThat(Budget.of(ttft).evaluate(run.measurement()).status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(Budget.of(ttft, FailureRule.atMost(0.05))
                        .evaluate(run.measurement())
                        .status())
                .isEqualTo(Status.PASS);
        assertThat(Budget.of(ttft, FailureRule.atMost(0.001))
                        .evaluate(run.measurement())
                        .status())
                .isNotEqualTo(Status.PASS);
    }

    // Evaluation case 16, for memory.
    @Test
    void memoryAtTheLimitHoldsAndOneByteMoreDoesNot() {
        Rule rule = DeviceMemoryRule.atMostBytes(20L << 30);

        assertThat(describe(rule, run(1, MS)))
                .isEqualTo("PASS  peak device memory at most 20.0 GiB: observed 20.0 GiB");
        assertThat(describe(rule, run(1, MS).memory(OptionalLong.of((20L << 30) + 1))))
                .isEqualTo(
                        "BREACH  peak device memory at most 20.0 GiB: observed 20.000000001 GiB, 0.000000001 GiB (under 0.1%) over");
    }

    @Test
    void memoryThatCouldNotBeReadHoldsNoLimit() {
        Rule rule = DeviceMemoryRule.atMostBytes(20L << 30);

        assertThat(judge(rule, run(1, MS).memory(OptionalLong.empty())).reason())
                .hasValue(
                        "the device memory in use could not be read; measure on a device whose memory can be, or leave the limit out");
        assertThat(judge(rule, run()).reason()).hasValue("missing: no request was measured");
        assertThat(judge(rule, run().add(Outcome.FAILED, "status 503", 0))
                        .reason()
                        .orElseThrow())
                .startsWith("0 of 1 requests completed, so there is no peak device memory of a run");
        assertThat(judge(rule, run(1, MS).withoutWarmUp()).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void theRateOfTheSystemIsThatOfAllRequestsTogether() {
        // Eight at a time, 4 tokens each every 100 ms: 320 tokens per second.
        Traces run = run().together(8).add(8 * 64, 40 * MS, times(3, 20 * MS)).concurrency(8);
        ThroughputConditions together = ThroughputConditions.of(List.of(512), Sampling.GREEDY, 8, 24L << 30);

        assertThat(describe(new SystemThroughputRule(300, together), run)).isEqualTo("""
                        PASS  system TGS at least 300.0 tokens/s (prompts of 512 tokens, greedy, concurrency 8, within 24.0 GiB of device memory): observed 320.0 tokens/s
                                at least 320.0 tokens/s and at most 340.8 tokens/s, each with 95% confidence
                                mean of 512 requests
                                decided after 512 of at most 512 requests by a sequential test (asymptotic) over blocks of 8 requests""");
        assertThat(judge(new SystemThroughputRule(640, together), run).status()).isEqualTo(Status.BREACH);
        assertThat(judge(new SystemThroughputRule(300, CONDITIONS), run).reason())
                .hasValueSatisfying(r -> assertThat(r).endsWith("the run had a concurrency of 8, the rule is about 1"));
    }

    @Test
    void withOneRequestAtATimeTheRateOfTheSystemIncludesWhatIsBetweenTwo() {
        // Each takes 100 ms of a second.
        Traces run = run(64, 40 * MS, times(3, 20 * MS));

        assertThat(judge(new SystemThroughputRule(30, CONDITIONS), run).status())
                .isNotEqualTo(Status.PASS);
        assertThat(judge(new SystemThroughputRule(3, CONDITIONS), run).status()).isEqualTo(Status.PASS);
        assertThat(judge(new SystemThroughputRule(30, CONDITIONS), run)
                        .observed()
                        .getAsDouble())
                .isBetween(4.0, 4.1);
    }

    static Duration ms(int millis) {
        return Duration.ofMillis(millis);
    }

    private static Verdict judge(Rule rule, Traces run) {
        return Budget.of(rule).evaluate(run.measurement()).verdicts().get(0);
    }

    /** Without the line of the conditions and those about the run. */
    private static String describe(Rule rule, Traces run) {
        return Budget.of(rule)
                .evaluate(run.measurement())
                .describe()
                .lines()
                .skip(1)
                .filter(l -> !l.startsWith("        system TGS"))
                .reduce((a, b) -> a + "\n" + b)
                .orElseThrow();
    }
}
