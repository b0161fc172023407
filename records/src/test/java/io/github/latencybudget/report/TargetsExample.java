package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.SharedPrompts;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;

/** One load on a local and a served target, on targets of a policy, and on one alone. Run {@code main} with a folder to look at it. */
final class TargetsExample {

    private final RecordStore store;
    private final Random random = new Random(42);

    private TargetsExample(RecordStore store) {
        this.store = store;
    }

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    static void write(Path folder) {
        TargetsExample example = new TargetsExample(Samples.store(folder));
        example.judge(
                new GateId("com.example.ChatSlaTest", "answers() [local]"),
                new SideEntry("com.example.ChatSlaTest#answers()", "local", 0, SharedPrompts.TEXTS, true),
                example.local(120));
        example.judge(
                new GateId("com.example.ChatSlaTest", "answers() [served]"),
                new SideEntry("com.example.ChatSlaTest#answers()", "served", 1, SharedPrompts.TEXTS, true),
                example.served(120));
        example.judge(
                new GateId("chat.yaml", "a"),
                new SideEntry("chat.yaml", "a", 0, SharedPrompts.LENGTHS, false),
                example.local(80));
        example.judge(
                new GateId("chat.yaml", "b"),
                new SideEntry("chat.yaml", "b", 1, SharedPrompts.LENGTHS, false),
                example.local(80));
        example.judge(
                gate("alone"),
                new SideEntry("com.example.ChatSlaTest#alone()", "local", 0, SharedPrompts.TEXTS, true),
                example.local(80));
    }

    private void judge(GateId gate, SideEntry side, Measurement measurement) {
        RecordStore.Attempt attempt = store.start(gate, gate.methodName());
        attempt.beside(side);
        attempt.measured(measurement);
        Samples.judge(
                attempt,
                Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(80))),
                measurement,
                Samples.PASSED);
    }

    private Measurement local(int requests) {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            traces.add(request(i, i % 2 == 0 ? 128 : 512, 1, 0));
        }
        return Samples.of("Llama-2-7b", traces);
    }

    private Measurement served(int requests) {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            TokenTrace trace = request(i, i % 2 == 0 ? 128 : 512, 1.1, 24);
            traces.add(trace.withExchange(new Exchange(
                    "usage",
                    null,
                    0,
                    i > 0,
                    nanos(22),
                    null,
                    null,
                    nanos(30),
                    null,
                    null,
                    null,
                    new TreeMap<>(Map.of("prompt ms", 70.0)))));
        }
        Measurement run = Samples.of("my-model", traces);
        return new Measurement(
                run.conditions(), run.environment(), run.warmUp(), traces, OptionalLong.empty(), List.of());
    }

    private TokenTrace request(int number, int promptTokens, double factor, double more) {
        return Samples.traces(
                        1,
                        number,
                        promptTokens,
                        16,
                        r -> nanos(more + factor * (promptTokens == 128 ? 80 : 240)),
                        (r, p) -> nanos(factor * 24))
                .get(0);
    }

    private long nanos(double millis) {
        return Math.round(millis * Math.exp(0.06 * random.nextGaussian()) * MILLI);
    }
}
