package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bounds that are printed and the verdict say the same. */
final class EvidenceDualityTest {

    private static final int ROUNDS = 400;

    private final Random random = new Random(6);

    @ParameterizedTest
    @EnumSource(names = {"TTFT", "ITL", "TPOT", "E2E"})
    void aTimePassesFromItsUpperBoundAndBreaksBelowItsLowerBound(Metric metric) {
        for (int round = 0; round < ROUNDS; round++) {
            Measurement run = randomRun();
            Duration limit = Duration.ofNanos((long) anyValue(metric, run) + random.nextInt(-1, 2));
            Verdict verdict =
                    judge(new LatencyRule(metric, anyPercentile(), limit, Optional.of(PromptLength.exactly(512))), run);
            Evidence evidence = verdict.evidence().orElseThrow();

            requireVerdict(
                    verdict,
                    evidence.upperBound().isPresent()
                            && limit.toNanos() >= evidence.upperBound().getAsDouble(),
                    evidence.lowerBound().isPresent()
                            && limit.toNanos() < evidence.lowerBound().getAsDouble());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DECODE_TGS", "REQUEST_TGS"})
    void aRatePassesUpToItsLowerBoundAndBreaksAboveItsUpperBound(Metric metric) {
        for (int round = 0; round < ROUNDS; round++) {
            Measurement run = randomRun();
            double value = anyValue(metric, run);
            double limit =
                    List.of(Math.nextDown(value), value, Math.nextUp(value)).get(random.nextInt(3));
            Verdict verdict = judge(
                    new ThroughputRule(
                            metric,
                            anyPercentile(),
                            limit,
                            ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30)),
                    run);
            Evidence evidence = verdict.evidence().orElseThrow();

            requireVerdict(
                    verdict,
                    evidence.lowerBound().isPresent()
                            && limit <= evidence.lowerBound().getAsDouble(),
                    evidence.upperBound().isPresent()
                            && limit > evidence.upperBound().getAsDouble());
        }
    }

    @Test
    void aMeanPassesFromItsUpperBoundAndBreaksBelowItsLowerBound() {
        for (int round = 0; round < ROUNDS; round++) {
            Measurement run = randomRun();
            Duration limit = Duration.ofNanos(random.nextInt(1, 40) * MS + 1);
            Verdict verdict = judge(MeanLatencyRule.itl(limit), run);
            Evidence evidence = verdict.evidence().orElseThrow();

            requireVerdict(
                    verdict,
                    evidence.upperBound().isPresent()
                            && limit.toNanos() >= evidence.upperBound().getAsDouble(),
                    evidence.lowerBound().isPresent()
                            && limit.toNanos() < evidence.lowerBound().getAsDouble());
        }
    }

    @Test
    void aShareThatHasToBeLargePassesUpToItsLowerBoundAndBreaksAboveItsUpperBound() {
        for (int round = 0; round < ROUNDS; round++) {
            Measurement run = randomRun();
            double limit = random.nextInt(1, 99) / 100.0;
            Rule rule = random.nextBoolean()
                    ? GoodputRule.atLeast(limit, RequestLimit.itl(Duration.ofMillis(random.nextInt(1, 40))))
                    : new FluidityRule(PromptLength.exactly(512), Duration.ofMillis(20), Duration.ofMillis(20), limit);
            Verdict verdict = judge(rule, run);
            Evidence evidence = verdict.evidence().orElseThrow();

            requireVerdict(
                    verdict,
                    evidence.lowerBound().isPresent()
                            && limit <= evidence.lowerBound().getAsDouble(),
                    evidence.upperBound().isPresent()
                            && limit > evidence.upperBound().getAsDouble());
        }
    }

    /** Where the end of a run takes a verdict back, the bounds are those of the verdict: they say what was shown before. */
    private static void requireVerdict(Verdict verdict, boolean pass, boolean breach) {
        assertThat(pass && breach).isFalse();
        Status byBounds = breach ? Status.BREACH : Status.INCONCLUSIVE;
        boolean isTakenBack =
                verdict.reason().filter(reason -> reason.contains(", but ")).isPresent();
        assertThat(verdict.status()).isEqualTo(isTakenBack ? Status.INCONCLUSIVE : pass ? Status.PASS : byBounds);
        Evidence evidence = verdict.evidence().orElseThrow();
        double observed = verdict.observed().orElseThrow();
        evidence.lowerBound().ifPresent(lower -> assertThat(lower).isLessThanOrEqualTo(observed));
        evidence.upperBound().ifPresent(upper -> assertThat(upper).isGreaterThanOrEqualTo(observed));
    }

    /** Of so many random runs some look as if they drifted. */
    private Measurement randomRun() {
        Traces run = Traces.run().guarded(GuardSettings.DEFAULT.without(Guard.MAX_DRIFT));
        int requests = random.nextInt(1, 120);
        int gaps = random.nextInt(1, 6);
        for (int i = 0; i < requests; i++) {
            run.add(
                    1,
                    random.nextInt(1, 40) * MS,
                    random.longs(gaps, 1, 40).map(v -> v * MS).toArray());
        }
        // Some of so many random runs would be taken for a drift.
        return run.guarded(GuardSettings.DEFAULT.without(Guard.MAX_DRIFT)).measurement();
    }

    private double anyValue(Metric metric, Measurement run) {
        Distribution values = Distribution.of(metric, run.traces());
        return values.atRank(random.nextInt(values.size()) + 1);
    }

    private Percentile anyPercentile() {
        return Percentile.of(random.nextInt(1, 100));
    }

    private static Verdict judge(Rule rule, Measurement run) {
        return Budget.of(rule).evaluate(run).verdicts().get(0);
    }
}
