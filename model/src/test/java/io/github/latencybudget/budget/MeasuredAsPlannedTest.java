package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What keeps a run from being the sample that a verdict's confidence is about. */
final class MeasuredAsPlannedTest {

    private static final Rule TTFT =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));

    @Test
    void aRunOfThePlannedNumberPasses() {
        assertThat(judge(TTFT, run(100, MS).planned(512, 100)).status()).isEqualTo(Status.PASS);
    }

    /** It may stop at any look, and says what that saved. */
    @Test
    void aRunThatStoppedBeforeItsMostRequestsShowsWhatItShows() {
        Verdicts verdicts =
                Budget.of(TTFT).evaluate(run(100, MS).planned(512, 200).measurement());

        assertThat(verdicts.status()).isEqualTo(Status.PASS);
        assertThat(verdicts.describe())
                .contains("measured 100 of at most 200 requests, about 99 s saved")
                .contains("decided after 64 of at most 200 requests by a sequential betting test over requests");
    }

    @Test
    void aRunThatWasDrawnOutShowsNothing() {
        Verdict verdict = judge(TTFT, run(100, MS).planned(512, 99));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue(
                        "at most 99 requests with prompts of 512 tokens were planned and 100 measured; measure no more than are planned");
    }

    @Test
    void ofManyReasonsTheMostFrequentAreNamed() {
        Traces run = run(100, MS);
        for (int i = 10; i < 30; i++) {
            run.add(Outcome.FAILED, "request id " + i, 0);
        }
        run.add(Outcome.FAILED, "status 503", 0).add(Outcome.FAILED, "status 503", 0);

        assertThat(judge(TTFT, run).reason().orElseThrow())
                .startsWith(
                        "22 of 122 requests did not complete: 2 x FAILED: status 503, 1 x FAILED: request id 10, 1 x FAILED: request id 11")
                .endsWith("1 x FAILED: request id 16, and 13 further reasons, which the record has");
    }

    /** Where one length was measured longer than the other, for another rule's sake, both are judged in equal shares. */
    @Test
    void aRuleOverSeveralLengthsIsAboutEqualShares() {
        Rule rule = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                50,
                ThroughputConditions.of(List.of(128, 512), Sampling.GREEDY, 1, 24L << 30));
        Traces mostlyShort = run().prompt(128).add(100, MS, MS).prompt(512).add(63, MS, MS);

        Verdict verdict = judge(rule, mostlyShort.planned(128, 100).planned(512, 100));

        assertThat(verdict.evidence().orElseThrow().requests()).isEqualTo(126);
        assertThat(verdict.reason().orElseThrow())
                .startsWith(
                        "could not be shown with 95% confidence from 126 requests, of which 2 of all prompt lengths count as one sample, with 0 of 126 values beyond the limit; needs 128 requests");
        assertThat(judge(rule, mostlyShort.add(1, MS, MS)).status()).isEqualTo(Status.PASS);
    }

    @Test
    void aClockThatStandsStillHoldsNoLimit() {
        Verdict verdict = judge(TTFT, run(100, 0, times(3, 0)));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue(
                        "request 0 is invalid: token 1 arrived just when the request started (TTFT 0.000 ms, E2E 0.000 ms); check the target's clock");
    }

    private static Verdict judge(Rule rule, Traces run) {
        return Budget.of(rule).evaluate(run.measurement()).verdicts().get(0);
    }
}
