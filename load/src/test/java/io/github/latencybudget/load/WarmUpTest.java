package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import io.github.latencybudget.trace.WarmUp;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** When a prompt length counts as warm, on a clock that only the target moves. */
class WarmUpTest {

    /** Case 24, as gaps between tokens: 9,000 tokens per second, then 44,000, 43,000 and 43,000. */
    @Test
    void itIsNotWarmAfterOne() {
        Recorded target = new Recorded(111_111, 22_727, 23_256, 23_256);

        WarmUp.Series series =
                run(target, new WarmUpPlan(0.25, 0, 100), 2).warmUp().series().get(0);

        assertThat(series.warm()).isTrue();
        assertThat(series.itlMeanNanos()).containsExactly(111_111L, 22_727L, 23_256L, 23_256L);
    }

    @Test
    void whereTheLastNeverAgreeTheRunIsNotWarmAndTheSeriesSaysWhy() {
        Recorded target = new Recorded(10_000_000, 20_000_000, 30_000_000, 40_000_000, 50_000_000);

        Measurement run = run(target, new WarmUpPlan(0.25, 0, 5), 2);

        assertThat(run.warmUp().isWarm()).isFalse();
        assertThat(run.warmUp().series().get(0).itlMeanNanos())
                .containsExactly(10_000_000L, 20_000_000L, 30_000_000L, 40_000_000L, 50_000_000L);
        assertThat(Budget.findings(run))
                .filteredOn(f -> f.kind() == Finding.Kind.NOT_WARM)
                .extracting(Finding::sentence)
                .containsExactly(
                        "not warm at a prompt length of 16 tokens: the last three of 5 warm-up runs do not agree within 25.0% or 0.000 ms (TTFT 10.0 ms, 10.0 ms, 10.0 ms; mean gap 30.0 ms, 40.0 ms, 50.0 ms); give the warm-up more runs, or quieten the machine");
    }

    /** Case 25: one token would not run decode, and a measured prompt would be in a prefix cache. */
    @Test
    void itDecodesAndUsesNoPromptOfTheRun() {
        Recorded target = new Recorded(1_000_000);

        run(target, WarmUpPlan.DEFAULT, 1);

        List<GenerationRequest> warmUp = target.requests.subList(0, target.requests.size() - 3);
        List<GenerationRequest> measured = target.requests.subList(target.requests.size() - 3, target.requests.size());
        assertThat(warmUp)
                .hasSize(3)
                .allSatisfy(r -> assertThat(r.outputTokens()).isGreaterThanOrEqualTo(8));
        assertThat(measured).allSatisfy(r -> assertThat(r.outputTokens()).isEqualTo(1));
        assertThat(target.requests).extracting(GenerationRequest::promptNumber).doesNotHaveDuplicates();
    }

    private static Measurement run(TargetSession target, WarmUpPlan plan, int outputTokens) {
        return new LoadDriver(
                        target,
                        new Scenario(new TreeSet<>(Set.of(16)), 3, outputTokens, Sampling.GREEDY, 1, plan),
                        Progress.NONE)
                .run();
    }

    /** Gives each request a gap of its own, the last one for all that follow, and a TTFT of 10 ms. */
    private static final class Recorded implements TargetSession {

        private final List<GenerationRequest> requests = new ArrayList<>();
        private final long[] gapNanos;
        private long nanos;

        private Recorded(long... gapNanos) {
            this.gapNanos = gapNanos;
        }

        @Override
        public TargetDescription description() {
            return new TargetDescription("m", "w", "fp32", "d", "cpu", 4096, new TreeMap<>());
        }

        @Override
        public Generation prepare(GenerationRequest request) {
            long gap = gapNanos[Math.min(requests.size(), gapNanos.length - 1)];
            requests.add(request);
            return new Generation() {
                @Override
                public int promptTokens() {
                    return request.promptTokens();
                }

                @Override
                public void run(TokenSink sink) {
                    for (int i = 0; i < request.outputTokens(); i++) {
                        nanos += i == 0 ? 10_000_000 : gap;
                        sink.token();
                    }
                }
            };
        }

        @Override
        public OptionalLong deviceMemoryBytes() {
            return OptionalLong.empty();
        }

        @Override
        public NanoClock clock() {
            return () -> nanos;
        }

        @Override
        public void close() {}
    }
}
