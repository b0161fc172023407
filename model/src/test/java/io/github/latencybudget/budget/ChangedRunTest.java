package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A gate goes on after a rule of it is decided, because another is not: what it measures then counts too. */
final class ChangedRunTest {

    private static final Rule P95 = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(100));
    private static final Rule GAPS = LatencyRule.itl(Percentile.P95, Duration.ofMillis(20));
    private static final int GAPS_OF_ONE = 20;
    /** Of 136 requests after the first 64, 10: the whole run is just within a P95. */
    private static final IntPredicate ONE_IN_14 = i -> i >= 64 && (i - 64) % 14 == 0;

    private static Verdict judge(Rule rule, Measurement measurement) {
        return Budget.of(rule).evaluate(measurement).verdicts().get(0);
    }

    /** {@return a run whose requests take 50 ms to their first token, or 150 where they are slow, and 5 or 30 to each further one} */
    private static Measurement run(int requests, IntPredicate isSlow) {
        Traces run = Traces.run();
        long start = 0;
        for (int i = 0; i < requests; i++) {
            start = add(run, start, isSlow.test(i), GAPS_OF_ONE);
        }
        return run.measurement();
    }

    private static long add(Traces run, long start, boolean isSlow, int gaps) {
        long[] arrivals = new long[gaps + 1];
        arrivals[0] = start + (isSlow ? 150 : 50) * MS;
        for (int i = 1; i <= gaps; i++) {
            arrivals[i] = arrivals[i - 1] + (isSlow ? 30 : 5) * MS;
        }
        run.arrivals(start, arrivals);
        return arrivals[gaps];
    }

    /** J3. */
    @Test
    void aRuleThatWasShownToHoldAndDoesNotAtTheEndIsNoPass() {
        Verdict verdict = judge(P95, run(200, i -> i >= 64 && (i - 64) % 13 == 0));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.observed()).hasValue(150.0 * MS);
        assertThat(verdict.reason())
                .hasValue(
                        "shown to hold after 64 requests, but 11 of the 136 requests after them (8.1%) are beyond the limit, and the rule allows 5.0%: the target changed during the run; find out what changed, and measure again");
        Evidence evidence = verdict.evidence().orElseThrow();
        assertThat(evidence.lowerBound().orElseThrow()).isEqualTo(50.0 * MS);
        assertThat(evidence.upperBound().orElseThrow()).isEqualTo(150.0 * MS);
    }

    /** The observed value of the whole run is within the limit, and so is all that came after the decision. */
    @Test
    void aLateChangeThatAllTheRestHidesIsFound() {
        Verdict verdict = judge(P95, run(400, i -> i >= 300 && i % 8 == 0));

        assertThat(verdict.observed()).hasValue(50.0 * MS);
        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .startsWith(
                        "shown to hold after 64 requests, but 12 of the last 168 requests (7.1%) are beyond the limit, and the rule allows 5.0%: ");
    }

    @Test
    void aBurstAtTheEndIsFound() {
        Verdict verdict = judge(P95, run(200, i -> i >= 196));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .contains("but 4 of the last 34 requests (11.8%) are beyond the limit");
    }

    @Test
    void aFewSlowRequestsAfterTheDecisionAreNone() {
        assertThat(judge(P95, run(200, i -> i == 64 || i == 120 || i == 180)).status())
                .isEqualTo(Status.PASS);
    }

    @Test
    void aBreachThatTheWholeRunDoesNotShowIsNone() {
        Verdict verdict = judge(P95, run(400, i -> i < 10));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.observed()).hasValue(50.0 * MS);
        assertThat(verdict.reason())
                .hasValue(
                        "shown to be broken after 2 requests, but the observed value of the whole run is within the limit: the target changed during the run; find out what changed, and measure again");
    }

    /** The test weighs requests, and the percentile that is printed weighs gaps. */
    @Test
    void longAnswersThatAreSlowMakeNoPass() {
        Traces run = Traces.run().declaring(201);
        long start = 0;
        for (int i = 0; i < 400; i++) {
            start = add(run, start, i % 100 == 99, i % 100 == 99 ? 200 : GAPS_OF_ONE);
        }
        Verdict verdict = judge(GAPS, run.measurement());

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.observed()).hasValue(30.0 * MS);
        assertThat(verdict.reason().orElseThrow())
                .contains(
                        "the observed value of the whole run is beyond the limit: the target changed during the run, or long answers differ from short ones; ");
    }

    static Stream<Arguments> ofEveryKind() {
        PromptLength length = PromptLength.exactly(512);
        ThroughputConditions conditions = ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);
        String requests = "10 of the 136 requests after them (7.4%) are ";
        String gaps = "7.4% of the gaps of the 136 requests after them are beyond the limit";
        return Stream.of(
                Arguments.of(P95, requests + "beyond the limit, and the rule allows 5.0%"),
                Arguments.of(GAPS, gaps),
                Arguments.of(new LatencyRule(Metric.ICL, Percentile.P95, ms(20), Optional.empty()), gaps),
                Arguments.of(RequestItlRule.of(Percentile.P95, Percentile.P95, ms(20)), requests),
                Arguments.of(new LatencyRule(Metric.E2E, Percentile.P95, ms(300), Optional.empty()), requests),
                Arguments.of(new ThroughputRule(Metric.DECODE_TGS, Percentile.P95, 100, conditions), requests),
                Arguments.of(GoodputRule.atLeast(0.95, RequestLimit.itl(ms(20))), requests + "not good"),
                Arguments.of(
                        new FluidityRule(length, ms(100), ms(10), 0.95),
                        "7.4% of the tokens of the 136 requests after them are late, and the rule allows 5.0%"),
                Arguments.of(
                        MeanLatencyRule.ttft(length, ms(56)),
                        "the mean TTFT of the 136 requests after them is 57.4 ms, and the limit is 56.0 ms"),
                Arguments.of(
                        MeanLatencyRule.itl(ms(6)).withLimit(6.5 * MS),
                        "the mean ITL of the 136 requests after them is 6.84 ms, and the limit is 6.5 ms"),
                Arguments.of(
                        new SystemThroughputRule(114, conditions),
                        "the system TGS of the 136 requests after them is 108.2 tokens/s, and the limit is 114.0 tokens/s"));
    }

    @ParameterizedTest
    @MethodSource("ofEveryKind")
    void everyKindOfRuleIsTakenBack(Rule rule, String seen) {
        assertThat(judge(rule, run(64, i -> false)).status()).isEqualTo(Status.PASS);

        Verdict verdict = judge(rule, run(200, ONE_IN_14));

        assertThat(Limits.isWithin(rule, verdict.observed().orElseThrow())).isTrue();
        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow()).startsWith("shown to hold after 64 requests, but " + seen);
    }

    @Test
    void aLimitOnFailuresIsTakenBack() {
        Traces run = Traces.run();
        for (int i = 0; i < 200; i++) {
            if (ONE_IN_14.test(i)) {
                run.add(Outcome.FAILED, "broke", 1000L * i * MS);
            } else {
                run.add(1, 50 * MS, 5 * MS);
            }
        }
        Verdict verdict = judge(FailureRule.atMost(0.05), run.measurement());

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .startsWith(
                        "shown to hold after 64 requests, but 10 of the 136 requests after them (7.4%) are not completed, and the rule allows 5.0%");
    }

    /** Where several in a row count as one sample, so many more may lie beyond: they may be one event. */
    @ParameterizedTest
    @CsvSource({"2, 1, true", "1, 1, false", "4, 4, false", "6, 4, true"})
    void whatCountsAsOneSampleIsOneEvent(int beyond, int samplesInOne, boolean isAgainst) {
        double[] samples = new double[20];
        Arrays.fill(samples, 0, beyond, 1);
        Aftermath after = new Aftermath(Bet.onShare(0.01), samples, samplesInOne);

        assertThat(after.against().isPresent()).isEqualTo(isAgainst);
    }

    @Test
    void aStepAfterTheDecisionPassesInAtMostOneOfTwenty() {
        assertThat(ChangedRunCalibration.step(0.005, 0.10, 64, 200)
                        .ofRequests(2_000, 1)
                        .pass())
                .isLessThanOrEqualTo(0.04);
        assertThat(ChangedRunCalibration.step(0.005, 0.10, 64, 400)
                        .ofGaps(200, 3)
                        .pass())
                .isLessThanOrEqualTo(0.02);
    }

    @ParameterizedTest
    @CsvSource({"0.01, 80, 0.012", "0.01, 200, 0.004", "0.01, 400, 0.004", "0.02, 200, 0.015"})
    void aSteadyTargetLosesHardlyAPass(double share, int requests, double most) {
        ChangedRunCalibration.Result result =
                ChangedRunCalibration.steady(share, requests).ofRequests(2_000, 4);

        assertThat(result.shown() - result.pass()).isLessThanOrEqualTo(most);
    }

    private static Duration ms(int millis) {
        return Duration.ofMillis(millis);
    }
}
