package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** What is found while a run lasts is what is found of the finished run. */
final class LooksTest {

    private static final List<Integer> LENGTHS = List.of(128, 512);

    @RepeatedTest(40)
    void aLookSaysWhatTheEvaluationOfTheRunUpToThereSays(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int concurrency = random.nextBoolean() ? 1 : random.nextInt(2, 5);
        Budget budget = new Budget(rules(random, concurrency), new Confidence(random.nextBoolean() ? 0.95 : 0.6));
        Traces run = run(random).concurrency(concurrency);
        Measurement all = run.measurement();
        Looks looks = budget.looks(new TreeSet<>(LENGTHS), concurrency);
        for (int n = 1; n <= all.traces().size(); n++) {
            looks.add(all.traces().get(n - 1));
            if (n % 7 == 0) {
                Verdicts verdicts = budget.evaluate(upTo(n, all));
                for (int length : LENGTHS) {
                    assertThat(looks.isDecided(length))
                            .isEqualTo(verdicts.verdicts().stream()
                                    .filter(v -> v.rule().appliesTo(length))
                                    .allMatch(v -> v.evidence().isPresent()
                                            && v.evidence().get().decidedAfter().isPresent()));
                }
            }
        }
    }

    @Test
    void whatIsDecidedStaysDecided() {
        Rule rule = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));
        Traces run = Traces.run(64, 400 * MS);

        assertThat(Budget.of(rule).evaluate(run.measurement()).passed()).isTrue();
        assertThat(Budget.of(rule).evaluate(run.add(1, 500 * MS).measurement()).passed())
                .isTrue();
    }

    @Test
    void whatIsShownBothWaysIsNeither() {
        Rule rule = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));

        Verdict verdict = Budget.of(rule)
                .evaluate(Traces.run(64, 400 * MS).add(40, 500 * MS).measurement())
                .verdicts()
                .get(0);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .startsWith("shown to hold after 64 requests and to be broken after ")
                .contains(
                        ": what was measured changed meanwhile; find out what changed, and measure again; the run became slower ");
    }

    @Test
    void whatIsOnlySeenNeitherEndsARunNorMakesItLonger() {
        SortedSet<Integer> lengths = new TreeSet<>(List.of(512));
        Rule memory = DeviceMemoryRule.atMostBytes(20L << 30);
        Rule ttft = LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(450));
        Looks seen = Budget.of(memory).looks(lengths, 1);
        Looks both = Budget.of(memory, ttft).looks(lengths, 1);
        Traces.run(64, 400 * MS).measurement().traces().forEach(trace -> {
            assertThat(both.isDecided(512)).isFalse();
            seen.add(trace);
            both.add(trace);
        });

        assertThat(seen.isDecided(512)).isFalse();
        assertThat(both.isDecided(512)).isTrue();
    }

    private static List<Rule> rules(Random random, int concurrency) {
        List<Rule> rules = new ArrayList<>();
        for (int length : LENGTHS) {
            rules.add(LatencyRule.ttft(PromptLength.exactly(length), percentile(random), limit(random)));
            rules.add(new LatencyRule(
                    Metric.ITL, percentile(random), limit(random), Optional.of(PromptLength.exactly(length))));
        }
        rules.add(LatencyRule.itl(percentile(random), limit(random)));
        rules.add(MeanLatencyRule.itl(limit(random)));
        rules.add(RequestItlRule.of(percentile(random), percentile(random), limit(random)));
        rules.add(GoodputRule.atLeast(share(random), RequestLimit.itl(limit(random)), RequestLimit.e2e(ms(150))));
        rules.add(new FluidityRule(PromptLength.between(1, 512), limit(random), limit(random), share(random)));
        rules.add(FailureRule.atMost(share(random)));
        rules.add(new SystemThroughputRule(
                random.nextInt(40, 70), ThroughputConditions.of(LENGTHS, Sampling.GREEDY, concurrency, 24L << 30)));
        rules.add(new ThroughputRule(
                Metric.DECODE_TGS,
                percentile(random),
                random.nextInt(40, 70),
                ThroughputConditions.of(LENGTHS, Sampling.GREEDY, concurrency, 24L << 30)));
        return rules;
    }

    private static Percentile percentile(Random random) {
        return Percentile.of(random.nextInt(30, 97));
    }

    private static double share(Random random) {
        return random.nextInt(1, 100) / 100.0;
    }

    private static Duration ms(int millis) {
        return Duration.ofMillis(millis);
    }

    private static Duration limit(Random random) {
        return Duration.ofMillis(random.nextInt(10, 40));
    }

    /** Of both lengths in turn, some of them slow for a while, some broken. */
    private static Traces run(Random random) {
        Traces run = Traces.run();
        double slow = 0;
        double fading = random.nextBoolean() ? 0 : 0.7;
        for (int i = 0; i < 300; i++) {
            slow = fading * slow + random.nextGaussian();
            long more = Math.max(0, Math.round(4 * slow));
            run.prompt(LENGTHS.get(i % 2));
            if (random.nextInt(50) == 0) {
                run.add(Outcome.FAILED, "broke", 1_000_000_000L * i);
            } else {
                run.add(
                        1,
                        (random.nextInt(1, 30) + more) * MS,
                        random.longs(3, 1, 30).map(g -> (g + more) * MS).toArray());
            }
        }
        return run;
    }

    private static Measurement upTo(int n, Measurement all) {
        List<TokenTrace> traces = all.traces().subList(0, n);
        return new Measurement(
                all.conditions(),
                all.environment(),
                all.warmUp(),
                traces,
                all.peakDeviceMemoryBytes(),
                all.findings(),
                all.steps());
    }
}
