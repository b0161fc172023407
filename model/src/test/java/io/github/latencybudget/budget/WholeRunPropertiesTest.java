package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Whatever is measured, the verdict, the observed value and the bounds that stand on one line do not contradict one another. */
final class WholeRunPropertiesTest {

    /** The bound of a mean is found by bisection, and a rate is one over a time. */
    private static final double LAST_DIGITS = 1e-9;

    @Property(tries = 150)
    void whatStandsOnOneLineAgrees(
            @ForAll @IntRange(min = 1, max = 300) int requests,
            @ForAll @IntRange(min = 1, max = 4) int concurrency,
            @ForAll @DoubleRange(min = 0, max = 0.9) double fading,
            @ForAll @DoubleRange(min = 0.5, max = 2) double change,
            @ForAll @DoubleRange(min = 0.5, max = 0.99) double confidence,
            @ForAll Random random) {
        Measurement run = run(requests, concurrency, fading, change, random);
        new Budget(rules(concurrency, random), new Confidence(confidence))
                .evaluate(run)
                .verdicts()
                .forEach(WholeRunPropertiesTest::requireAgreement);
    }

    /** A property that never meets a verdict says nothing about it. */
    @Test
    void verdictsOfAllKindsAreDrawn() {
        Map<Status, Integer> drawn = new EnumMap<>(Status.class);
        int takenBack = 0;
        for (int seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            Measurement run = run(200, 1 + seed % 2, 0.3, 0.7 + 0.015 * seed, random);
            for (Verdict verdict : Budget.of(rules(1 + seed % 2, random).toArray(Rule[]::new))
                    .evaluate(run)
                    .verdicts()) {
                drawn.merge(verdict.status(), 1, Integer::sum);
                takenBack += verdict.reason().filter(r -> r.contains(", but ")).isPresent() ? 1 : 0;
            }
        }

        assertThat(drawn.get(Status.PASS)).isGreaterThan(20);
        assertThat(drawn.get(Status.BREACH)).isGreaterThan(20);
        assertThat(takenBack).isGreaterThan(5);
    }

    private static void requireAgreement(Verdict verdict) {
        if (verdict.observed().isEmpty()) {
            return;
        }
        Rule rule = verdict.rule();
        double observed = verdict.observed().getAsDouble();
        Optional<Evidence> evidence = verdict.evidence();
        OptionalDouble lower = evidence.map(Evidence::lowerBound).orElse(OptionalDouble.empty());
        OptionalDouble upper = evidence.map(Evidence::upperBound).orElse(OptionalDouble.empty());
        lower.ifPresent(l -> assertThat(l).as(verdict.line()).isLessThanOrEqualTo(observed));
        upper.ifPresent(u -> assertThat(u).as(verdict.line()).isGreaterThanOrEqualTo(observed));
        OptionalDouble worst = rule.isAtMost() ? upper : lower;
        OptionalDouble best = rule.isAtMost() ? lower : upper;
        if (verdict.status() == Status.PASS) {
            assertThat(beyond(rule, observed)).as(verdict.line()).isLessThanOrEqualTo(0);
            worst.ifPresent(w -> assertThat(beyond(rule, w)).as(verdict.line()).isLessThanOrEqualTo(LAST_DIGITS));
        } else if (verdict.status() == Status.BREACH) {
            assertThat(beyond(rule, observed)).as(verdict.line()).isGreaterThan(0);
            best.ifPresent(b -> assertThat(beyond(rule, b)).as(verdict.line()).isGreaterThan(-LAST_DIGITS));
        }
    }

    /** {@return how far a value is beyond the limit, as a share of it} */
    private static double beyond(Rule rule, double value) {
        double over = value / rule.limitInUnit() - 1;
        return rule.isAtMost() ? over : -over;
    }

    /** Requests that may resemble those before them, whose pace changes after the first third, with answers of two lengths. */
    private static Measurement run(int requests, int concurrency, double fading, double change, Random random) {
        Traces run = Traces.run().concurrency(concurrency).guarded(GuardSettings.DEFAULT.without(Guard.MAX_DRIFT));
        boolean isOfTwoLengths = random.nextInt(4) == 0;
        boolean mayFail = random.nextInt(4) == 0;
        double slow = 0;
        long start = 0;
        long end = 0;
        for (int i = 0; i < requests; i++) {
            slow = fading * slow + Math.sqrt(1 - fading * fading) * random.nextGaussian();
            double pace = (3 * i < requests ? 1 : change) * Math.exp(0.2 * slow);
            long[] arrivals = new long[isOfTwoLengths && random.nextBoolean() ? 3 : 6];
            arrivals[0] = start + nanos(50 * pace);
            for (int token = 1; token < arrivals.length; token++) {
                arrivals[token] = arrivals[token - 1] + nanos(20 * pace * Math.exp(0.2 * random.nextGaussian()));
            }
            if (mayFail && random.nextInt(20) == 0) {
                run.add(Outcome.FAILED, "broke", start);
            } else {
                run.arrivals(start, arrivals);
            }
            end = Math.max(end, arrivals[arrivals.length - 1]);
            start = (i + 1) % concurrency == 0 ? end : start;
        }
        return run.measurement();
    }

    private static long nanos(double millis) {
        return Math.max(1, Math.round(millis * MS));
    }

    /** Limits around what most runs give. */
    private static List<Rule> rules(int concurrency, Random random) {
        PromptLength length = PromptLength.exactly(512);
        ThroughputConditions conditions =
                ThroughputConditions.of(List.of(512), Sampling.GREEDY, concurrency, 24L << 30);
        List<Rule> rules = new ArrayList<>();
        rules.add(LatencyRule.ttft(length, percentile(random), ms(40, 90, random)));
        for (Metric metric : List.of(Metric.ITL, Metric.TPOT)) {
            rules.add(new LatencyRule(metric, percentile(random), ms(15, 40, random), Optional.empty()));
        }
        rules.add(new LatencyRule(Metric.E2E, percentile(random), ms(120, 250, random), Optional.empty()));
        rules.add(RequestItlRule.of(percentile(random), percentile(random), ms(15, 40, random)));
        rules.add(MeanLatencyRule.ttft(length, ms(40, 70, random)));
        rules.add(MeanLatencyRule.itl(ms(15, 30, random)));
        rules.add(GoodputRule.atLeast(share(random), RequestLimit.itl(ms(20, 40, random))));
        rules.add(new FluidityRule(length, ms(40, 90, random), ms(15, 30, random), share(random)));
        rules.add(FailureRule.atMost(0.01 + 0.1 * random.nextDouble()));
        rules.add(new ThroughputRule(Metric.DECODE_TGS, percentile(random), random.nextInt(25, 60), conditions));
        rules.add(new SystemThroughputRule(concurrency * random.nextInt(20, 50), conditions));
        rules.add(new DriftRule(Metric.TTFT, 0.05 + 0.5 * random.nextDouble(), 512));
        return rules;
    }

    private static Percentile percentile(Random random) {
        return Percentile.of(random.nextInt(40, 97));
    }

    private static double share(Random random) {
        return random.nextInt(50, 99) / 100.0;
    }

    private static Duration ms(int from, int to, Random random) {
        return Duration.ofNanos(nanos(from + (to - from) * random.nextDouble()));
    }
}
