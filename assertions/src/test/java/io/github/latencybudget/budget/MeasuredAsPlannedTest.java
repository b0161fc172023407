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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What keeps a run from being the sample that a verdict's confidence is about. */
final class MeasuredAsPlannedTest {

    private static final Rule TTFT =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));

    @Test
    void aRunOfThePlannedNumberPasses() {
        assertThat(judge(TTFT, run(100, MS).planned(512, 100)).status()).isEqualTo(Status.PASS);
    }

    @ParameterizedTest
    @ValueSource(ints = {99, 101})
    void aRunThatWasCutShortOrDrawnOutShowsNothing(int planned) {
        Verdict verdict = judge(TTFT, run(100, MS).planned(512, planned));

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue(
                        "%s requests with prompts of 512 tokens were planned and 100 measured; measure as many as are planned"
                                .formatted(planned));
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

    @Test
    void equalSharesAreThoseThatWereMeasured() {
        Rule rule = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                50,
                ThroughputConditions.of(List.of(128, 512), Sampling.GREEDY, 1, 24L << 30));
        Traces mostlyShort = run().prompt(128).add(100, MS, MS).prompt(512).add(1, MS, MS);

        assertThat(judge(rule, mostlyShort.planned(128, 100).planned(512, 100)).reason())
                .hasValue(
                        "100 requests with prompts of 512 tokens were planned and 1 measured; measure as many as are planned");
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
