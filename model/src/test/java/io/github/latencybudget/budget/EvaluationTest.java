package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import io.github.latencybudget.trace.Traces;
import io.github.latencybudget.trace.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EvaluationTest {

    private static final Rule TTFT = ttft(450);
    private static final Rule ITL = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));
    private static final ThroughputConditions CONDITIONS =
            ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);
    private static final Rule DECODE_TGS = new ThroughputRule(Metric.DECODE_TGS, Percentile.P95, 50, CONDITIONS);

    // Evaluation case 2.
    @ParameterizedTest
    @CsvSource({"5, INCONCLUSIVE", "20, INCONCLUSIVE", "63, INCONCLUSIVE", "64, PASS"})
    void aP95TakesSixtyFourRequests(int requests, Status status) {
        Verdict verdict = judge(TTFT, run(requests, 400 * MS));

        assertThat(verdict.status()).isEqualTo(status);
        if (status == Status.INCONCLUSIVE) {
            assertThat(verdict.evidence().orElseThrow().requestsNeeded()).hasValue(64);
            assertThat(verdict.reason().orElseThrow()).contains("needs 64 requests");
        }
    }

    // Evaluation case 2: many gaps of few requests are still few samples.
    @Test
    void gapsOfOneRequestAreNotIndependentSamples() {
        assertThat(judge(ITL, run(5, MS, times(1000, 20 * MS))).status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(judge(ITL, run(64, MS, times(10, 20 * MS))).status()).isEqualTo(Status.PASS);
    }

    // Evaluation case 6.
    @Test
    void theVerdictRestsOnRawValuesWhereAHistogramRoundsThemOverTheLimit() {
        long ttft = 449_900_000;
        Histogram histogram = new Histogram(3);
        histogram.recordValue(ttft);

        assertThat(histogram.getValueAtPercentile(95)).isGreaterThan(450 * MS);
        assertThat(judge(TTFT, run(64, ttft)).status()).isEqualTo(Status.PASS);
    }

    // Evaluation cases 8 and 13.
    @ParameterizedTest
    @EnumSource
    void requestsWithoutATokenSatisfyNoRule(Metric metric) {
        Traces run = run().declaring(128);
        for (int i = 0; i < 100; i++) {
            run.add(Outcome.EMPTY, "no token came in 2 s", 0);
        }

        Verdict verdict = judge(rule(metric), run);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.observed()).isEmpty();
        assertThat(verdict.evidence()).isEmpty();
        assertThat(verdict.line()).endsWith(": nothing observed");
        assertThat(verdict.reason().orElseThrow()).startsWith("no token: 0 of 100 requests gave one");
    }

    // Evaluation case 9.
    @Test
    void aTtftLaterThanTheE2eIsNamedAsInvalid() {
        Traces run = run(100, 400 * MS, times(1, 20 * MS)).arrivals(0, 4_400 * MS, 4_361 * MS);

        Verdict verdict = judge(TTFT, run);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue("request 100 is invalid: token 2 arrived before token 1 (TTFT 4400.0 ms, E2E 4361.0 ms);"
                        + " check the target's clock");
    }

    @Test
    void aFirstTokenBeforeTheStartIsInvalidAndNotFast() {
        Traces run = run(100, 400 * MS).arrivals(0, -1);

        assertThat(judge(TTFT, run).reason().orElseThrow())
                .startsWith("request 100 is invalid: token 1 arrived before the request started");
    }

    @Test
    void anInvalidSampleShowsNoBreachEither() {
        Traces run = run(100, 4_400 * MS, times(1, MS)).arrivals(0, 4_400 * MS, 4_361 * MS);

        assertThat(judge(TTFT, run).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aClockThatRunsOverTheEndOfTheLongRangeIsValid() {
        Traces run = run(63, 20).arrivals(Long.MAX_VALUE - 9, Long.MIN_VALUE + 10);

        assertThat(judge(TTFT, run).status()).isEqualTo(Status.PASS);
    }

    // Evaluation case 11.
    @ParameterizedTest
    @EnumSource
    void aRunWithoutARequestSatisfiesNoRule(Metric metric) {
        Verdict verdict = judge(rule(metric), run().planned(512, 60));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason()).hasValue("missing: no request was measured");
    }

    // Evaluation case 11.
    @Test
    void aPromptLengthThatNoRequestHadSatisfiesNoRule() {
        Verdict verdict = judge(TTFT, run().prompt(511).add(100, 400 * MS));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue("missing: no request with prompts of 512 tokens was measured (measured: 511)");
    }

    // Evaluation case 12.
    @ParameterizedTest
    @MethodSource
    void aRuleOverThreePromptLengthsIsMissingTheOneThatWasNeverMeasured(Rule rule) {
        Traces twoOfThree =
                run().prompt(128).add(100, 100 * MS, times(2, MS)).prompt(512).add(100, 100 * MS, times(2, MS));
        assertThat(judge(rule, twoOfThree).status()).isEqualTo(Status.PASS);

        Verdict verdict =
                judge(rule, twoOfThree.planned(128, 100).planned(512, 100).planned(1024, 100));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue("missing: prompts of 1024 tokens were planned and none was measured (measured: 128, 512)");
    }

    static Stream<Rule> aRuleOverThreePromptLengthsIsMissingTheOneThatWasNeverMeasured() {
        return Stream.of(
                LatencyRule.ttft(PromptLength.between(1, 1024), Percentile.P95, Duration.ofMillis(450)),
                ITL,
                LatencyRule.tpot(Percentile.P95, Duration.ofMillis(50)));
    }

    @Test
    void aPromptLengthOutsideTheRuleMayBeMissing() {
        Traces run = run(64, 400 * MS).planned(512, 64).planned(1024, 64);

        assertThat(judge(TTFT, run).status()).isEqualTo(Status.PASS);
    }

    @Test
    void aPromptLengthThatTheConditionsDoNotNameIsInvalid() {
        Traces run = run().prompt(511).add(100, MS, times(2, MS)).planned(512, 100);

        assertThat(judge(ITL, run).reason().orElseThrow())
                .startsWith("missing: prompts of 512 tokens were planned")
                .contains("request 0 is invalid: it had a prompt of 511 tokens");
    }

    // Evaluation case 14.
    @Test
    void oneOfFiveThatCompletesGivesTheLatencyAndTheOthersAreListed() {
        Traces run = run(1, 400 * MS, times(2, 20 * MS))
                .add(Outcome.TRUNCATED, "the stream broke off", 0, 1)
                .add(Outcome.FAILED, "status 503", 0)
                .add(Outcome.FAILED, "error event", 0, 1)
                .add(Outcome.FAILED, "malformed JSON", 0);

        Verdicts verdicts = Budget.of(TTFT).evaluate(run.measurement());

        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdicts.verdicts().get(0).observed()).hasValue(400 * MS);
        assertThat(verdicts.verdicts().get(0).evidence().orElseThrow().values()).isEqualTo(1);
        assertThat(verdicts.describe())
                .contains("4 of 5 requests did not complete: 1 x FAILED: error event, 1 x FAILED: malformed JSON,"
                        + " 1 x FAILED: status 503, 1 x TRUNCATED: the stream broke off");
    }

    @Test
    void oneFailedRequestKeepsManyFastOnesFromPassing() {
        Traces run = run(1_000, 400 * MS).add(Outcome.FAILED, "status 503", 0);

        assertThat(judge(TTFT, run).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aBreachIsShownInSpiteOfFailedRequestsWhichAreListedToo() {
        Verdicts verdicts = Budget.of(TTFT)
                .evaluate(run(60, 500 * MS).add(Outcome.FAILED, "status 503", 0).measurement());

        assertThat(verdicts.status()).isEqualTo(Status.BREACH);
        assertThat(verdicts.describe()).endsWith("\n1 of 61 requests did not complete: 1 x FAILED: status 503");
    }

    // Evaluation case 16, from both sides and for every metric.
    @ParameterizedTest
    @EnumSource(names = {"TTFT", "ITL", "TPOT", "E2E"})
    void aTimeAtTheLimitHoldsAndOneNanosecondMoreDoesNot(Metric metric) {
        LatencyRule rule = new LatencyRule(
                metric, Percentile.P95, Duration.ofNanos(450_000_000), Optional.of(PromptLength.exactly(512)));

        assertThat(judge(rule, at(metric, 450_000_000)).status()).isEqualTo(Status.PASS);
        assertThat(judge(rule, at(metric, 450_000_001)).status()).isEqualTo(Status.BREACH);
    }

    // Evaluation case 16, for rates.
    @ParameterizedTest
    @EnumSource(names = {"DECODE_TGS", "REQUEST_TGS"})
    void aRateAtTheLimitHoldsAndOneOfATokenThatIsANanosecondLaterDoesNot(Metric metric) {
        Rule rule = new ThroughputRule(metric, Percentile.P95, 50, CONDITIONS);

        assertThat(judge(rule, run(100, 20 * MS, 20 * MS)).status()).isEqualTo(Status.PASS);
        assertThat(judge(rule, run(100, 20 * MS, 20 * MS + 1)).status()).isEqualTo(Status.BREACH);
    }

    // Evaluation case 17.
    @ParameterizedTest
    @EnumSource
    void aLimitOnEveryMetricCanFail(Metric metric) {
        assertThat(judge(rule(metric), run(100, 100 * MS, times(9, MS))).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(rule(metric), run(100, 10_000 * MS, times(9, 1_000 * MS)))
                        .status())
                .isEqualTo(Status.BREACH);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.9, 0.99, 0.999999})
    void moreConfidenceTakesMoreRequests(double level) {
        Confidence confidence = new Confidence(level);
        int enough = new SequentialTest(Bet.onShare(0.05), confidence.alpha(), 1).samplesToHold(0);

        assertThat(judge(TTFT, confidence, run(enough, MS)).status()).isEqualTo(Status.PASS);
        assertThat(judge(TTFT, confidence, run(enough - 1, MS)).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aRunThatWasNotWarmShowsNothing() {
        for (Traces run : List.of(run(100, MS).withoutWarmUp(), run(100, MS).cold(512))) {
            assertThat(judge(TTFT, run).status()).isEqualTo(Status.INCONCLUSIVE);
        }
        assertThat(judge(TTFT, run(100, 900 * MS).cold(512)).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void anotherNumberOfTokensThanDeclaredShowsNothing() {
        assertThat(judge(ITL, run(100, MS, times(9, MS)).declaring(128)).reason())
                .hasValue("100 of 100 completed requests gave another number of output tokens than declared, such as"
                        + " request 0 with 10 instead of 128; a latency gate generates exactly what it declares, so"
                        + " ignore end-of-sequence");
    }

    @ParameterizedTest
    @EnumSource
    void noFindingLetsARulePass(Finding.Kind kind) {
        Finding finding = new Finding(kind, "found");

        assertThat(judge(TTFT, run(100, MS).finding(finding)).reason()).hasValue("found");
        assertThat(judge(TTFT, run(100, 900 * MS).finding(finding)).status())
                .isEqualTo(kind.rulesOutBreach() ? Status.INCONCLUSIVE : Status.BREACH);
    }

    @Test
    void aConcurrencyThatWasNotReachedIsNotShownToHold() {
        assertThat(judge(TTFT, run().together(4).add(512, MS).concurrency(4)).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(TTFT, run().together(2).add(512, MS).concurrency(4)).status())
                .isEqualTo(Status.PASS);

        // Four users who wait for a millisecond and think for four seconds send a request a second.
        ThinkTime fourSeconds = new ThinkTime(ThinkTime.Distribution.CONSTANT, Duration.ofMillis(3999), 0);
        assertThat(judge(
                                TTFT,
                                run().together(1)
                                        .add(400, MS)
                                        .concurrency(4)
                                        .workload(Workload.IN_TURN.thinking(fourSeconds)))
                        .reason()
                        .orElse(""))
                .doesNotContain("in flight on average");

        Verdict verdict = judge(TTFT, run(512, MS).concurrency(4));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .startsWith("0.0 requests were in flight on average, and the run was to have 4: ");
        assertThat(judge(TTFT, run(400, 900 * MS).concurrency(4)).status()).isEqualTo(Status.BREACH);
    }

    @ParameterizedTest
    @MethodSource
    void aRateUnderOtherConditionsIsNotCompared(Traces run, String reason) {
        Verdict verdict = judge(DECODE_TGS, run);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason()).hasValue(reason);
    }

    static Stream<Arguments> aRateUnderOtherConditionsIsNotCompared() {
        return Stream.of(
                arguments(
                        run().together(8).add(1024, MS, MS).concurrency(8),
                        "the run had a concurrency of 8, the rule is about 1"),
                arguments(
                        fast().sampling(new Sampling(0.7, 0.9)),
                        "the run sampled temperature 0.7, top-p 0.9, the rule is about greedy"),
                arguments(
                        fast().prompt(128).add(100, MS, MS),
                        "the run had prompts of 128 (100 requests), 512 (100 requests) tokens, the rule is about 512"),
                arguments(
                        fast().memory(OptionalLong.empty()),
                        "the device memory in use could not be read, and a TGS value without it says nothing"),
                arguments(
                        fast().workload(Workload.IN_TURN.thinking(
                                new ThinkTime(ThinkTime.Distribution.CONSTANT, Duration.ofMinutes(1), 0))),
                        "the users of the run think (60.000 s of thought, constant), the rule is about a concurrency of 1 without thought"),
                arguments(
                        fast().memory(OptionalLong.of((24L << 30) + 1)),
                        "the run used 24.000000001 GiB of device memory, the rule is about at most 24.0 GiB"));
    }

    @Test
    void aRateIsComparedWhateverTheSeedOfTheDraws() {
        Rule rule = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                50,
                ThroughputConditions.of(List.of(512), new Sampling(0.7, 0.9).withSeed(1), 1, 24L << 30));

        assertThat(judge(rule, fast().sampling(new Sampling(0.7, 0.9).withSeed(2)))
                        .status())
                .isEqualTo(Status.PASS);
        assertThat(judge(rule, fast().sampling(new Sampling(0.7, 0.9).withTopK(40)))
                        .reason())
                .hasValue(
                        "the run sampled temperature 0.7, top-k 40, top-p 0.9, the rule is about temperature 0.7, top-p 0.9");
    }

    @Test
    void aRateOverLengthsInUnequalSharesIsNotCompared() {
        Rule rule = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                50,
                ThroughputConditions.of(List.of(128, 512), Sampling.GREEDY, 1, 24L << 30));
        Traces unequal = run().prompt(128).add(99, MS, MS).prompt(512).add(1, MS, MS);

        assertThat(judge(rule, unequal).reason().orElseThrow())
                .endsWith("the run had prompts of 128 (99 requests), 512 (1 request) tokens,"
                        + " the rule is about equal shares of each");
        assertThat(judge(rule, unequal.add(98, MS, MS)).status()).isEqualTo(Status.PASS);
    }

    @Test
    void memoryAtTheLimitIsWithinIt() {
        assertThat(judge(DECODE_TGS, fast().memory(OptionalLong.of(24L << 30))).status())
                .isEqualTo(Status.PASS);
    }

    @Test
    void aRequestWhoseRateIsNotANumberHoldsNoLimit() {
        assertThat(judge(DECODE_TGS, fast().add(1, MS, 0)).reason())
                .hasValue("1 of 101 completed requests gave no decode TGS, and an absent value holds no limit");
        assertThat(judge(DECODE_TGS, run(100, MS, 0)).reason())
                .hasValue("0 of 100 completed requests gave a value of decode TGS,"
                        + " which takes two output tokens at different times");
    }

    @Test
    void aBudgetIsAsGoodAsItsWorstRule() {
        Measurement slowFirstToken = run(100, 900 * MS, times(9, MS)).measurement();
        Rule p99 = LatencyRule.itl(Percentile.P99, Duration.ofMillis(50));

        assertThat(Budget.of(ITL).evaluate(slowFirstToken).status()).isEqualTo(Status.PASS);
        assertThat(Budget.of(ITL, p99).evaluate(slowFirstToken).status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(Budget.of(ITL, p99, TTFT).evaluate(slowFirstToken).status()).isEqualTo(Status.BREACH);
        assertThat(Budget.of(ITL, p99, TTFT).evaluate(slowFirstToken).passed()).isFalse();
    }

    private static Traces fast() {
        return run(100, MS, MS);
    }

    /** A hundred requests of two tokens, or of one for TTFT, in which the metric has this value. */
    private static Traces at(Metric metric, long nanos) {
        return switch (metric) {
            case TTFT -> run(100, nanos);
            case E2E -> run(100, nanos - MS, MS);
            default -> run(100, MS, nanos);
        };
    }

    private static Rule rule(Metric metric) {
        return switch (metric) {
            case TTFT -> TTFT;
            case TTFO -> LatencyRule.ttfo(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));
            case ITL -> ITL;
            case DECODE_TGS, REQUEST_TGS -> new ThroughputRule(metric, Percentile.P95, 50, CONDITIONS);
            default -> new LatencyRule(metric, Percentile.P95, Duration.ofMillis(450), Optional.empty());
        };
    }

    private static Rule ttft(int millis) {
        return LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(millis));
    }

    private static Verdict judge(Rule rule, Traces run) {
        return judge(rule, Confidence.DEFAULT, run);
    }

    private static Verdict judge(Rule rule, Confidence confidence, Traces run) {
        return new Budget(List.of(rule), confidence)
                .evaluate(run.measurement())
                .verdicts()
                .get(0);
    }
}
