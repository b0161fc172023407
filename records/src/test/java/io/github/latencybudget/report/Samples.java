package io.github.latencybudget.report;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;

/** Measurements whose every time is known. */
final class Samples {

    static final long MILLI = 1_000_000;
    static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    static final TestEnding PASSED = new TestEnding(TestEnding.Status.PASSED, null);

    private Samples() {}

    static RecordStore store(Path folder) {
        return store(folder, "20260101T120000-4711", NOON);
    }

    static RecordStore store(Path folder, String run, Instant now) {
        return new RecordStore(folder.resolve("records"), run, Clock.fixed(now, ZoneOffset.UTC));
    }

    /** Writes the report of a store's run, of which {@link #planAll} makes the plans. */
    static ReportSummary report(RecordStore store, Path folder) {
        planAll(folder);
        return Report.write(store, folder);
    }

    /** As if a test plan had had each record that is there: without it, nobody would know what else that plan had. */
    static void planAll(Path folder) {
        Records there = store(folder).read(Optional.empty());
        for (RecordStore.RecordFile file : there.records()) {
            GateRecord record = file.content();
            long planned = there.plans().stream()
                    .filter(plan -> plan.content().source().equals(record.source()))
                    .flatMap(plan -> plan.content().gates().stream())
                    .filter(gate -> gate.gate().equals(record.gate()))
                    .count();
            if (planned < record.attempt()) {
                RecordStore store = store(folder, record.run(), NOON);
                store.finished(store.planned(
                        null, List.of(new PlannedGate(record.gate(), record.displayName(), List.of())), null));
            }
        }
    }

    static void judge(RecordStore.Attempt attempt, Budget budget, Measurement measurement, TestEnding ending) {
        attempt.judged(budget, budget.evaluate(measurement), ending);
    }

    static GateId gate(String method) {
        return new GateId("com.example.ChatSlaTest", method + "(Measurement)");
    }

    /** {@return completed requests at 128 prompt tokens with these TTFT and a gap of 20 ms everywhere} */
    static Measurement steady(String model, int requests, int outputTokens, IntToLongFunction ttftNanos) {
        return of(model, traces(requests, 0, 128, outputTokens, ttftNanos, (request, position) -> 20 * MILLI));
    }

    static List<TokenTrace> traces(
            int requests,
            int from,
            int promptTokens,
            int outputTokens,
            IntToLongFunction ttftNanos,
            LongBinaryOperator gapNanos) {
        List<TokenTrace> traces = new ArrayList<>();
        for (int request = from; request < from + requests; request++) {
            long start = request * 1_000 * MILLI;
            long[] arrivals = new long[outputTokens];
            arrivals[0] = start + ttftNanos.applyAsLong(request);
            for (int i = 1; i < outputTokens; i++) {
                arrivals[i] = arrivals[i - 1] + gapNanos.applyAsLong(request, i);
            }
            traces.add(new TokenTrace(request, promptTokens, outputTokens, start, arrivals, Outcome.COMPLETED, null));
        }
        return traces;
    }

    static TokenTrace failed(int request, int promptTokens, String reason) {
        return new TokenTrace(request, promptTokens, 16, request * 1_000 * MILLI, new long[0], Outcome.FAILED, reason);
    }

    static Measurement of(String model, List<TokenTrace> traces, Finding... findings) {
        return of(model, 1, traces, List.of(), findings);
    }

    static Measurement of(
            String model, int concurrency, List<TokenTrace> traces, List<EngineStep> steps, Finding... findings) {
        TreeMap<Integer, Integer> lengths = new TreeMap<>();
        traces.forEach(t -> lengths.merge(t.promptTokens(), 1, Integer::sum));
        return new Measurement(
                new Conditions(
                        model,
                        "synthetic, seed 42",
                        "fp16",
                        "NVIDIA H200",
                        lengths,
                        traces.isEmpty() ? 16 : traces.get(0).requestedOutputTokens(),
                        Sampling.GREEDY,
                        concurrency),
                new Environment(new TreeMap<>(Map.of(
                        "cpu", "2 x 24 cores",
                        "driver", "560.35.03, CUDA 12.6",
                        "engine", "DJL 0.36.0, PyTorch 2.7.1",
                        "java", "OpenJDK 64-Bit Server VM 17.0.15",
                        "os", "Linux 6.1 amd64"))),
                new WarmUp(
                        0.2,
                        MILLI,
                        lengths.keySet().stream()
                                .map(length -> new WarmUp.Series(
                                        length,
                                        8,
                                        List.of(912 * MILLI, 214 * MILLI, 208 * MILLI, 209 * MILLI),
                                        List.of(31 * MILLI, 21 * MILLI, 20 * MILLI, 20 * MILLI),
                                        true))
                                .toList()),
                traces,
                OptionalLong.of(15_461_882_265L),
                List.of(findings),
                steps);
    }
}
