package io.github.latencybudget.report;

import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/** An open loop that a target falls behind for a while. */
final class LoadExample {

    private static final long MS = Samples.MILLI;
    private static final Load.Open LOAD = new Load.Open(new Arrivals.Poisson(20, 42), OptionalInt.of(4), 100);

    private LoadExample() {}

    static void write(Path folder) {
        BatchExample.judge(folder, "load", "An open loop", open(1_000), 20);
    }

    /** A target that answers in 100 ms, four at a time, and is asked 20 times per second; it stands still for a second. */
    static Measurement open(int requests) {
        Random random = new Random(42);
        long[] free = new long[4];
        double due = 0;
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            due += -Math.log1p(-random.nextDouble()) / 20 * 1e9;
            long start = Math.round(due);
            int slot = 0;
            for (int s = 1; s < free.length; s++) {
                slot = free[s] < free[slot] ? s : slot;
            }
            long sent = Math.max(start, free[slot]);
            long work = 100 * MS + (i == requests / 2 ? 1_000 * MS : 0) + random.nextInt(20) * MS;
            free[slot] = sent + work;
            traces.add(new TokenTrace(
                            i, 128, 2, start, new long[] {sent + work / 2, sent + work}, Outcome.COMPLETED, null)
                    .sentAt(sent)
                    .endedAt(sent + work));
        }
        Measurement closed = Samples.of("Llama-2-7b", 4, traces, List.of());
        Conditions c = closed.conditions();
        return new Measurement(
                new Conditions(
                        c.model(),
                        c.weights(),
                        c.dtype(),
                        c.device(),
                        c.requestsByPromptTokens(),
                        c.outputTokens(),
                        c.sampling(),
                        c.concurrency(),
                        c.settings(),
                        Optional.of(LOAD),
                        c.workload()),
                closed.environment(),
                closed.warmUp(),
                traces,
                closed.peakDeviceMemoryBytes(),
                closed.findings(),
                closed.steps());
    }
}
