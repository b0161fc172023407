package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A run of which each gate comes out otherwise beside its baseline. Run {@code main} with a folder to look at it. */
final class BaselineExample {

    private final RecordStore store;
    private final Random random = new Random(42);

    private BaselineExample(RecordStore store) {
        this.store = store;
    }

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    static void write(Path folder) {
        BaselineExample example = new BaselineExample(Samples.store(folder));
        Measurement before = example.run("Llama-2-7b", 1, 1);
        example.compare("worse", "Chat is slower than in May", before, example.run("Llama-2-7b", 1.16, 1.24), true);
        example.compare("improved", "Chat is faster than in May", before, example.run("Llama-2-7b", 0.95, 0.7), true);
        example.compare(
                "told", "Chat is slower, and that is told only", before, example.run("Llama-2-7b", 1, 1.3), false);
        example.compare("other", "Chat on another model", before, example.run("<b>Llama-2-13b</b>", 1, 1), true);
        Measurement stored = example.run("Llama-2-7b", 1, 1);
        example.judge(
                "stored",
                "Chat has become its own baseline",
                stored,
                ComparisonEntry.storedByThisRun(new Baseline("chat", Samples.NOON, stored), Tolerance.ofPercent(10)),
                Optional.empty());
    }

    private void compare(String method, String name, Measurement before, Measurement now, boolean gating) {
        Baseline baseline = new Baseline("chat", Samples.NOON.minusSeconds(86_400), before);
        judge(
                method,
                name,
                now,
                ComparisonEntry.of(baseline.compare(now, Tolerance.ofPercent(10)), gating),
                Optional.of(baseline));
    }

    private void judge(
            String method,
            String name,
            Measurement measurement,
            ComparisonEntry comparison,
            Optional<Baseline> baseline) {
        RecordStore.Attempt attempt = store.start(gate(method), name);
        attempt.measured(measurement);
        attempt.compared(comparison, baseline);
        Samples.judge(
                attempt,
                Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(80))),
                measurement,
                Samples.PASSED);
    }

    private Measurement run(String model, double ttft, double gap) {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int length = i % 2 == 0 ? 128 : 512;
            traces.addAll(Samples.traces(
                    1, i, length, 32, r -> nanos(ttft * (length == 128 ? 140 : 280)), (r, p) -> nanos(gap * 24)));
        }
        return Samples.of(model, traces);
    }

    private long nanos(double millis) {
        return (long) (millis * Math.exp(0.12 * random.nextGaussian()) * MILLI);
    }
}
