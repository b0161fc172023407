package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.SystemThroughputRule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A gate with every kind of rule that is not a percentile of a metric: some hold, some do not, some are not shown. Run {@code main}
 * with a folder to look at it.
 */
final class RulesExample {

    private final Random random = new Random(42);

    private RulesExample() {}

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    static void write(Path folder) {
        Measurement measurement = new RulesExample().run();
        RecordStore.Attempt attempt = Samples.store(folder).start(Samples.gate("everyKind"), "Every kind of rule");
        attempt.measured(measurement);
        Samples.judge(attempt, budget(), measurement, Samples.PASSED);
    }

    private Measurement run() {
        List<TokenTrace> traces = new ArrayList<>(Samples.traces(
                196, 0, 512, 64, r -> millis(300, 40), (r, p) -> millis(24, r % 9 == 0 ? 9 : 2)));
        traces.addAll(Samples.traces(4, 196, 512, 64, r -> millis(900, 40), (r, p) -> millis(24, 2)));
        return Samples.of("Llama-2-7b", traces);
    }

    private static Budget budget() {
        PromptLength length = PromptLength.exactly(512);
        return Budget.of(
                MeanLatencyRule.ttft(length, Duration.ofMillis(350)),
                MeanLatencyRule.itl(Duration.ofMillis(20)),
                RequestItlRule.of(Percentile.P95, Percentile.P95, Duration.ofMillis(30)),
                GoodputRule.atLeast(
                        0.9,
                        RequestLimit.ttft(length, Duration.ofMillis(450)),
                        RequestLimit.tpot(Duration.ofMillis(26))),
                GoodputRule.atLeast(0.9, RequestLimit.itl(Duration.ofMillis(40))),
                new FluidityRule(length, Duration.ofMillis(300), Duration.ofMillis(24), 0.95),
                FailureRule.atMost(0.01),
                new DriftRule(Metric.TPOT, 0.1, 512),
                DeviceMemoryRule.atMostBytes(20L << 30),
                new SystemThroughputRule(20, ThroughputConditions.of(Set.of(512), Sampling.GREEDY, 1, 24L << 30)));
    }

    private long millis(double mean, double deviation) {
        return Math.max(1, (long) ((mean + deviation * random.nextGaussian()) * MILLI));
    }
}
