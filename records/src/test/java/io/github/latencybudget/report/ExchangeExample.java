package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Gates on endpoints that say more or less of themselves. Run {@code main} with a folder to look at it. */
final class ExchangeExample {

    private final RecordStore store;
    private final Random random = new Random(42);

    private ExchangeExample(RecordStore store) {
        this.store = store;
    }

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    static void write(Path folder) {
        ExchangeExample example = new ExchangeExample(Samples.store(folder));
        example.judge("told", "A server that tells of its prompts", true);
        example.judge("silent", "A server that tells nothing", false);
    }

    private void judge(String method, String name, boolean tells) {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            traces.add(request(i, i % 2 == 0 ? 128 : 512, tells));
        }
        RecordStore.Attempt attempt = store.start(gate(method), name);
        attempt.measured(Samples.of("served", traces));
        Samples.judge(
                attempt,
                Budget.of(LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(400))),
                Samples.of("served", traces),
                Samples.PASSED);
    }

    private TokenTrace request(int number, int promptTokens, boolean tells) {
        double promptMs = about(promptTokens == 128 ? 60 : 210);
        double queueMs = about(8);
        long head = nanos(about(30));
        long ttft = nanos(promptMs + queueMs + 24 + about(6));
        double gapMs = about(20);
        TokenTrace trace = Samples.traces(1, number, promptTokens, 16, r -> ttft, (r, p) -> nanos(gapMs))
                .get(0);
        long end = trace.arrivalNanos(16) - trace.startNanos();
        Map<String, Double> server = tells
                ? Map.of(
                        "prompt ms",
                        promptMs,
                        "queue ms",
                        queueMs,
                        "cached tokens",
                        (double) (number % 3),
                        "output ms",
                        16 * gapMs,
                        "output tokens",
                        16.0)
                : Map.of();
        return trace.withExchange(new Exchange(
                tells ? "usage" : "chunks",
                null,
                number % 10 == 0 ? 2 : 0,
                number > 3,
                nanos(24 + about(2)),
                number > 3 ? null : nanos(about(31)),
                nanos(about(0.2)),
                head,
                end + MILLI,
                tells ? end + 2 * MILLI : null,
                end + 3 * MILLI,
                new TreeMap<>(server)));
    }

    private double about(double millis) {
        return millis * Math.exp(0.12 * random.nextGaussian());
    }

    private static long nanos(double millis) {
        return Math.round(millis * MILLI);
    }
}
