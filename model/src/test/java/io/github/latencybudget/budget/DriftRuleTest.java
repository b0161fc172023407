package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** The rule on the change from the first third of a run to its last. */
final class DriftRuleTest {

    private static final DriftRule TENTH = new DriftRule(Metric.TTFT, 0.1, 512);

    @Test
    void aSteadyRunHolds() {
        assertThat(describe(TENTH, ttft(90, i -> 400 * MS))).isEqualTo("""
                        PASS  TTFT drift at most 10.0% for prompts of 512 tokens: observed 0.0%
                                at least 0.0% and at most 0.0%, each with 95% confidence
                                first and last third of 90 requests
                                decided after 90 of at most 90 requests by a comparison of the median of the first 30 requests (400.0 ms) with that of the last 30 (400.0 ms)""");
    }

    @Test
    void aRunThatBecameSlowerBreaksIt() {
        assertThat(describe(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 480 * MS))).isEqualTo("""
                        BREACH  TTFT drift at most 10.0% for prompts of 512 tokens: observed 20.0%, 10.0 points over
                                at least 20.0% and at most 20.0%, each with 95% confidence
                                first and last third of 90 requests
                                decided after 90 of at most 90 requests by a comparison of the median of the first 30 requests (400.0 ms) with that of the last 30 (480.0 ms)""");
    }

    @Test
    void oneThatBecameFasterBreaksItToo() {
        Verdict verdict = judge(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 320 * MS));

        assertThat(verdict.status()).isEqualTo(Status.BREACH);
        assertThat(verdict.observed()).hasValue(0.2);
    }

    // Evaluation case 16, for a change.
    @Test
    void aChangeOfExactlyTheLimitHoldsAndOneNanosecondMoreDoesNot() {
        assertThat(judge(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 440 * MS)).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 440 * MS + 1)).status())
                .isEqualTo(Status.BREACH);
        assertThat(judge(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 360 * MS)).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(TENTH, ttft(90, i -> i < 45 ? 400 * MS : 360 * MS - 1)).status())
                .isEqualTo(Status.BREACH);
    }

    @Test
    void whatTooFewDoNotShowSaysHowManyItTakes() {
        Random random = new Random(1);
        Verdict verdict = judge(TENTH, ttft(90, i -> (long) (400 * MS * Math.exp(0.1 * random.nextGaussian()))));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue(
                        "could not be shown with 95% confidence from 90 requests with a TTFT drift of 5.9%; needs about 195 requests if it stays so");
    }

    @Test
    void whatLiesBeyondTheLimitIsNotShownByMoreOfTheSame() {
        Random random = new Random(3);
        Verdict verdict =
                judge(TENTH, ttft(90, i -> (long) ((i < 45 ? 400 : 445) * MS * Math.exp(0.2 * random.nextGaussian()))));

        assertThat(verdict.reason())
                .hasValue(
                        "could not be shown with 95% confidence from 90 requests with a TTFT drift of 15.3%; no number of requests like these would show it");
    }

    @Test
    void fewerThanTwentyFourAreNotCompared() {
        assertThat(judge(TENTH, ttft(23, i -> 400 * MS)).reason())
                .hasValue("too few to compare the first third with the last: 23 requests gave a TTFT, and it takes 24");
        assertThat(judge(TENTH, ttft(24, i -> 400 * MS)).status()).isEqualTo(Status.PASS);
    }

    @Test
    void requestsThatResembleTheirNeighboursCountTogether() {
        Random random = new Random(5);
        double[] level = {0};
        Verdict verdict = judge(TENTH, ttft(300, i -> {
            level[0] = 0.8 * level[0] + 0.6 * random.nextGaussian();
            return (long) (400 * MS * Math.exp(0.05 * level[0]));
        }));

        assertThat(verdict.evidence().orElseThrow().requestsPerSample()).isGreaterThan(4);
        assertThat(verdict.evidence().orElseThrow().method())
                .isEqualTo(
                        "comparison of the median of the first 100 requests (402.8 ms) with that of the last 100 (408.4 ms), 7 in a row as one for successive ones resemble one another (rank correlation 0.74)");
    }

    @Test
    void requestsInFlightTogetherCountAsOne() {
        Traces run = run().together(8).concurrency(8).add(8 * 24, 400 * MS, 20 * MS);

        assertThat(judge(TENTH, run).evidence().orElseThrow().method())
                .isEqualTo(
                        "comparison of the median of the first 64 requests (400.0 ms) with that of the last 64 (400.0 ms), 8 in flight together as one");
        assertThat(judge(TENTH, run).status()).isEqualTo(Status.PASS);
        Traces tooFew = run().together(8).concurrency(8).add(8 * 9, 400 * MS, 20 * MS);
        assertThat(judge(TENTH, tooFew).reason())
                .hasValue(
                        "could not be shown with 95% confidence from 72 requests, of which 8 in flight together count as one sample, with a TTFT drift of 0.0%; needs about 144 requests if it stays so");
    }

    @Test
    void aRunThatWasCutShortDoesNotShowIt() {
        assertThat(judge(TENTH, ttft(90, i -> 400 * MS).planned(512, 200)).reason())
                .hasValue(
                        "90 of 200 planned requests were measured, and a drift is judged on all of them; plan no more than the run has time for");
    }

    @Test
    void aRunOfNothingOrOfOtherLengthsShowsNothing() {
        assertThat(judge(TENTH, run().planned(512, 100)).reason()).hasValue("missing: no request was measured");
        assertThat(judge(new DriftRule(Metric.TTFT, 0.1, 128), ttft(90, i -> 400 * MS))
                        .reason())
                .hasValue("missing: no request with prompts of 128 tokens was measured (measured: 512)");
        assertThat(judge(new DriftRule(Metric.TPOT, 0.1, 512), run(90, 400 * MS))
                        .reason())
                .hasValue(
                        "0 of 90 completed requests gave a value of TPOT, which takes two output tokens at different times");
    }

    @Test
    void requestsThatFailedKeepItFromHolding() {
        Traces run = ttft(90, i -> 400 * MS).add(Outcome.FAILED, "status 503", 0);

        assertThat(judge(TENTH, run).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void eachMetricIsComparedByItself() {
        Traces slowerGaps = run();
        for (int i = 0; i < 90; i++) {
            long start = 1_000 * MS * i;
            long gap = i < 45 ? 20 * MS : 25 * MS;
            slowerGaps.arrivals(start, start + 400 * MS, start + 400 * MS + gap, start + 400 * MS + 2 * gap);
        }

        assertThat(judge(TENTH, slowerGaps).status()).isEqualTo(Status.PASS);
        assertThat(judge(new DriftRule(Metric.E2E, 0.1, 512), slowerGaps).status())
                .isEqualTo(Status.PASS);
        assertThat(judge(new DriftRule(Metric.TPOT, 0.1, 512), slowerGaps).observed())
                .hasValue(0.25);
        assertThat(judge(new DriftRule(Metric.TPOT, 0.1, 512), slowerGaps).status())
                .isEqualTo(Status.BREACH);
    }

    /** The guard keeps other rules from passing; this one has a limit of its own. */
    @Test
    void theGuardAgainstDriftsLeavesItAlone() {
        Rule ttft = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500));
        Traces slower = ttft(90, i -> i < 45 ? 400 * MS : 450 * MS);

        Verdicts verdicts =
                Budget.of(ttft, new DriftRule(Metric.TTFT, 0.2, 512)).evaluate(slower.measurement());

        assertThat(verdicts.findings()).extracting(Finding::kind).containsExactly(Finding.Kind.SLOWED_DOWN);
        assertThat(verdicts.verdicts()).extracting(Verdict::status).containsExactly(Status.INCONCLUSIVE, Status.PASS);
    }

    @Test
    void noRunEndsBeforeItsLastRequestForIt() {
        Rule ttft = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500));
        Looks without = Budget.of(ttft).looks(new TreeSet<>(List.of(512)), 1);
        Looks with = Budget.of(ttft, TENTH).looks(new TreeSet<>(List.of(128, 512)), 1);
        ttft(200, i -> 400 * MS).measurement().traces().forEach(t -> {
            without.add(t);
            with.add(t);
        });

        assertThat(without.isDecided(512)).isTrue();
        assertThat(with.isDecided(512)).isFalse();
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DriftRule(Metric.ITL, 0.1, 512))
                .withMessage("ITL has several values per request: use TPOT, the mean gap of each");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DriftRule(Metric.REQUEST_TGS, 0.1, 512))
                .withMessage("request TGS is not a time: use a ThroughputRule, which names its conditions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DriftRule(Metric.TTFT, 1, 512))
                .withMessageStartingWith("maxShare = 1.0: must be above 0 and below 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DriftRule(Metric.TTFT, 0.1, 0))
                .withMessage("promptTokens = 0 to 0: must be at least 1 and in order");
    }

    private static Traces ttft(int requests, IntToLongFunction nanos) {
        Traces run = run();
        for (int i = 0; i < requests; i++) {
            run.add(1, nanos.applyAsLong(i));
        }
        return run;
    }

    private static Verdict judge(Rule rule, Traces run) {
        return Budget.of(rule).evaluate(run.measurement()).verdicts().get(0);
    }

    /** Without the line of the conditions. */
    private static String describe(Rule rule, Traces run) {
        return Budget.of(rule)
                .evaluate(run.measurement())
                .describe()
                .lines()
                .skip(1)
                .reduce((a, b) -> a + "\n" + b)
                .orElseThrow();
    }
}
