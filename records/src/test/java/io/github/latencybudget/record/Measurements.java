package io.github.latencybudget.record;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.SystemThroughputRule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import io.github.latencybudget.trace.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Measurements and budgets that use every field of a record. */
final class Measurements {

    private static final long MILLI = 1_000_000;

    private Measurements() {}

    /** 120 completed requests at two prompt lengths, one broken and one empty, with odd origin and odd nanoseconds. */
    static Measurement full() {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            long start = 987_654_321_987_654_321L + i * 1_000 * MILLI + i;
            long first = start + 200 * MILLI + 7 * i;
            long[] arrivals = {first, first + 20 * MILLI + i, first + 41 * MILLI + i, first + 60 * MILLI - i};
            TokenTrace trace = new TokenTrace(i, i % 2 == 0 ? 128 : 512, 4, start, arrivals, Outcome.COMPLETED, null);
            traces.add(i % 3 == 0 ? trace.sentAt(start + i).withCachedPromptTokens(i) : trace);
        }
        traces.add(new TokenTrace(120, 128, 4, 5, new long[] {9}, Outcome.FAILED, "status 503 | \"overloaded\""));
        traces.add(new TokenTrace(121, 512, 4, 6, new long[0], Outcome.EMPTY, "no token came"));
        Chunks sized = Chunks.of(new long[] {70, 90, 95}, new int[] {1, 2, 1}).visibleFrom(2);
        traces.add(new TokenTrace(122, 128, 4, 60, sized, Outcome.COMPLETED, null));
        Chunks unsized = Chunks.ofUnknownSizes(new long[] {71, 91}, 4).visibleFrom(0);
        traces.add(new TokenTrace(123, 512, 4, 61, unsized, Outcome.COMPLETED, null));
        return new Measurement(
                new Conditions(
                        "tiny",
                        "synthetic, seed 42",
                        "fp32",
                        "CPU",
                        new TreeMap<>(Map.of(128, 62, 512, 62)),
                        4,
                        new Sampling(0.7, 40, 0.9, 1.1, 7),
                        2,
                        new TreeMap<>(Map.of("use_cache", "off")),
                        Optional.empty(),
                        Workload.IN_TURN),
                new Environment(new TreeMap<>(Map.of("engine", "DJL 0.36.0", "os", "Linux"))),
                new WarmUp(0.2, MILLI, List.of(warm(128), warm(512))),
                traces,
                OptionalLong.of(3L << 30),
                List.of(new Finding(Finding.Kind.INVALID_SAMPLE, "the device could not be verified")),
                steps(),
                watch());
    }

    /** One guard off, one at a threshold of its own, one that could not be checked and one that is not about the run. */
    private static RunWatch watch() {
        return new RunWatch(
                GuardSettings.DEFAULT.without(Guard.MAX_DRIFT).with(Guard.MIN_CLOCK_SHARE, 0.5),
                Optional.of(new DeviceWatch(
                        "NVML",
                        41,
                        OptionalInt.of(1980),
                        OptionalInt.of(1200),
                        OptionalInt.of(1755),
                        OptionalInt.of(1980),
                        new TreeMap<>(Map.of("the power limit", 3)),
                        new TreeMap<>(Map.of("heat", 1)),
                        OptionalLong.of(15L << 30),
                        OptionalLong.of(139L << 30),
                        List.of("python3 (pid 4711)"),
                        OptionalInt.of(61),
                        OptionalDouble.empty())),
                new TreeMap<>(Map.of(Guard.MAX_MEMORY_SHARE, "not told")),
                new TreeMap<>(Map.of(Guard.MAX_SCHEDULE_DELAY_SHARE, "no schedule")),
                Optional.of(new ClientCalibration(
                        2,
                        new ClientCalibration.Step(128.5, 129, 30_001, 250_007),
                        List.of(new ClientCalibration.Step(250, 52, 31_000, 260_000, 256.0)),
                        45_000_000L,
                        "HTTP/1.1",
                        "HTTP/2 over TLS")),
                Optional.of(new ServerMetrics(
                        "http://host/metrics",
                        new TreeMap<>(Map.of(
                                "TTFT",
                                new ServerMetrics.Histogram(
                                        "vllm:time_to_first_token_seconds",
                                        122,
                                        24.75,
                                        List.of(
                                                new ServerMetrics.Bucket(0.25, 120),
                                                new ServerMetrics.Bucket(null, 122))))))));
    }

    /** Steps in a batch whose members come and go, some of them without a time on the device. */
    private static List<EngineStep> steps() {
        long start = 987_654_321_987_654_321L;
        return List.of(
                step(EngineStep.Kind.PREFILL, start + 3, 200 * MILLI, OptionalLong.of(190 * MILLI + 1), 0),
                step(EngineStep.Kind.DECODE, start + 201 * MILLI, 19 * MILLI, OptionalLong.of(18 * MILLI), 0),
                step(EngineStep.Kind.DECODE, start + 221 * MILLI, 18 * MILLI, OptionalLong.empty(), 0),
                step(EngineStep.Kind.PREFILL, start + 240 * MILLI, 7, OptionalLong.of(7), 1, 2, 3),
                step(EngineStep.Kind.DECODE, start + 250 * MILLI, 19 * MILLI, OptionalLong.of(0), 2, 3, 4, 0, 7),
                step(EngineStep.Kind.DECODE, start + 270 * MILLI, 19 * MILLI, OptionalLong.of(1), 2, 3, 4, 0, 7));
    }

    private static EngineStep step(
            EngineStep.Kind kind, long start, long duration, OptionalLong device, Integer... requests) {
        return new EngineStep(kind, start, start + duration, device, List.of(requests));
    }

    /** No request, nothing warmed, no device memory. */
    static Measurement empty() {
        return new Measurement(
                new Conditions("tiny", "synthetic", "fp32", "CPU", new TreeMap<>(), 4, Sampling.GREEDY, 1),
                new Environment(new TreeMap<>()),
                new WarmUp(0.2, MILLI, List.of()),
                List.of(),
                OptionalLong.empty(),
                List.of());
    }

    static Budget budget() {
        return Budget.of(
                LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(300)),
                LatencyRule.ttft(PromptLength.above(512), Percentile.P95, Duration.ofMillis(800)),
                LatencyRule.itl(Percentile.P95, Duration.ofMillis(1)),
                MeanLatencyRule.itl(Duration.ofMillis(1)),
                RequestItlRule.of(Percentile.P95, Percentile.P95, Duration.ofMillis(1)),
                GoodputRule.atLeast(0.9, RequestLimit.tpot(Duration.ofMillis(30))),
                new FluidityRule(PromptLength.above(1), Duration.ofMillis(300), Duration.ofMillis(30), 0.9),
                FailureRule.atMost(0.1),
                DeviceMemoryRule.atMostBytes(4L << 30),
                new SystemThroughputRule(
                        10, ThroughputConditions.of(Set.of(128, 512), new Sampling(0.7, 40, 0.9, 1.1, 8), 2, 4L << 30)),
                new ThroughputRule(
                        Metric.DECODE_TGS,
                        Percentile.P95,
                        10,
                        ThroughputConditions.of(Set.of(128, 512), new Sampling(0.7, 40, 0.9, 1.1, 8), 2, 4L << 30)));
    }

    private static WarmUp.Series warm(int promptTokens) {
        return new WarmUp.Series(
                promptTokens, 8, List.of(900 * MILLI, 201 * MILLI), List.of(21 * MILLI, 20 * MILLI), true);
    }
}
