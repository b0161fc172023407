package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import io.github.latencybudget.trace.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Of a run whose requests draw their prompt lengths, each request is a sample of the whole. */
final class DrawnPromptsTest {

    private static final PromptShares SHARES = new PromptShares(new TreeMap<>(Map.of(128, 3, 512, 1)));
    private static final Workload WORKLOAD = Workload.drawn(SHARES);

    /** Three short ones and a long one, over and over. */
    private static Traces run(int requests, long shortGap, long longGap) {
        Traces run = Traces.run().workload(WORKLOAD);
        for (int i = 0; i < requests; i++) {
            run.prompt(i % 4 == 3 ? 512 : 128).add(1, 400 * MS, times(2, i % 4 == 3 ? longGap : shortGap));
        }
        return run;
    }

    private static Budget itl(Percentile percentile) {
        return Budget.of(LatencyRule.itl(percentile, Duration.ofMillis(25)));
    }

    @Test
    void aRuleOnAllOfThemIsAboutTheDistribution() {
        // A quarter of the requests is above the limit: in equal shares it would be a half.
        Verdict verdict = itl(Percentile.of(60))
                .evaluate(run(200, 20 * MS, 30 * MS).measurement())
                .verdicts()
                .get(0);

        assertThat(verdict.status()).isEqualTo(Status.PASS);
        assertThat(verdict.evidence().orElseThrow().requests()).isEqualTo(200);
    }

    @Test
    void aRuleOnOneOfThemIsAboutItsRequests() {
        Rule rule = new LatencyRule(
                Metric.ITL, Percentile.P95, Duration.ofMillis(25), Optional.of(PromptLength.exactly(512)));

        Verdict verdict = Budget.of(rule)
                .evaluate(run(200, 20 * MS, 30 * MS).measurement())
                .verdicts()
                .get(0);

        assertThat(verdict.status()).isEqualTo(Status.BREACH);
        assertThat(verdict.evidence().orElseThrow().requests()).isEqualTo(50);
    }

    @Test
    void aLengthThatNeverCameIsMissing() {
        Traces run = Traces.run(64, 400 * MS, times(2, 20 * MS))
                .workload(Workload.drawn(new PromptShares(new TreeMap<>(Map.of(512, 99, 1024, 1)))))
                .planned(512, 64)
                .planned(1024, 0);

        Verdict verdict =
                itl(Percentile.P95).evaluate(run.measurement()).verdicts().get(0);

        assertThat(verdict.reason())
                .hasValue("missing: prompts of 1024 tokens were planned and none was measured (measured: 512)");
    }

    @RepeatedTest(20)
    void aLookSaysWhatTheEvaluationOfTheRunUpToThereSays(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int concurrency = random.nextInt(1, 4);
        Budget budget = new Budget(
                List.of(
                        LatencyRule.itl(
                                Percentile.of(random.nextInt(30, 97)), Duration.ofMillis(random.nextInt(10, 40))),
                        MeanLatencyRule.itl(Duration.ofMillis(random.nextInt(10, 40))),
                        LatencyRule.ttft(PromptLength.exactly(512), Percentile.of(60), Duration.ofMillis(15))),
                new Confidence(0.6));
        Looks looks = budget.looksAtDrawn(concurrency);
        Traces run = Traces.run().workload(WORKLOAD).concurrency(concurrency);
        for (int n = 1; n <= 200; n++) {
            run.prompt(random.nextInt(4) == 0 ? 512 : 128)
                    .add(1, random.nextInt(1, 30) * MS, random.nextInt(1, 50) * MS);
            Measurement measurement = run.measurement();
            looks.add(measurement.traces().get(n - 1));
            if (n % 19 == 0) {
                assertThat(looks.isDecided())
                        .isEqualTo(budget.evaluate(measurement).verdicts().stream()
                                .allMatch(v -> v.evidence().isPresent()
                                        && v.evidence().get().decidedAfter().isPresent()));
            }
        }
    }

    @Test
    void aRateIsAboutTheSharesOfTheRun() {
        Measurement drawn = run(80, 20 * MS, 20 * MS).measurement();
        Measurement inTurn = Traces.run()
                .prompt(128)
                .add(40, 400 * MS, times(2, 20 * MS))
                .prompt(512)
                .add(40, 400 * MS, times(2, 20 * MS))
                .measurement();

        assertThat(rate(Optional.of(SHARES), drawn).status()).isEqualTo(Status.PASS);
        assertThat(rate(Optional.of(SHARES), drawn).rule().text())
                .contains("prompts of 128 and 512 tokens drawn 3:1, greedy");
        assertThat(rate(Optional.empty(), drawn).reason())
                .hasValue("the run had prompts of 128 and 512 tokens drawn 3:1, the rule is about them in turn");
        assertThat(rate(Optional.of(SHARES), inTurn).reason())
                .hasValue("the run had prompts of 128 and 512 tokens in turn, the rule is about them drawn 3:1");
    }

    private static Verdict rate(Optional<PromptShares> shares, Measurement run) {
        return Budget.of(ThroughputRule.decodeTgs(
                        Percentile.of(90),
                        40,
                        new ThroughputConditions(
                                new TreeSet<>(SHARES.weights().keySet()), shares, Sampling.GREEDY, 1, 24L << 30)))
                .evaluate(run)
                .verdicts()
                .get(0);
    }

    @Test
    void howOftenALengthCameIsNoConditionAndItsShareIs() {
        Measurement before = run(100, 20 * MS, 20 * MS).measurement();
        Measurement more = run(201, 20 * MS, 20 * MS).measurement();
        Measurement other = run(100, 20 * MS, 20 * MS)
                .workload(Workload.drawn(new PromptShares(new TreeMap<>(Map.of(128, 2, 512, 1)))))
                .measurement();
        Baseline baseline = new Baseline("chat", Instant.parse("2026-01-01T12:00:00Z"), before);

        assertThat(baseline.compare(more, Tolerance.ofPercent(10)).refusals()).isEmpty();
        assertThat(baseline.compare(other, Tolerance.ofPercent(10)).refusals())
                .containsExactly("prompts: the baseline has 128, 512 drawn 3:1, this run 128, 512 drawn 2:1");
    }
}
