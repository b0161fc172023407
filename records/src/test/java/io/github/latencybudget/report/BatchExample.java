package io.github.latencybudget.report;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/** A run of an engine that takes one prompt whenever there is room in its batch, else decodes the batch. */
final class BatchExample {

    private static final int PROMPT_TOKENS = 512;

    private final Time time;
    private final int outputTokens;
    private final List<Active> batch = new ArrayList<>();
    private final List<TokenTrace> traces = new ArrayList<>();
    private final List<EngineStep> steps = new ArrayList<>();
    private long now;

    /** Gives a time in nanoseconds, by mean and deviation in milliseconds. */
    interface Time {
        long of(double mean, double deviation);
    }

    private record Active(int request, long start, List<Long> arrivals) {}

    private BatchExample(Time time, int outputTokens) {
        this.time = time;
        this.outputTokens = outputTokens;
    }

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    /** One gate that is broken by the prompts of others, one with fewer in flight, one with a single request at a time. */
    static void write(Path folder) {
        Random random = new Random(42);
        Time time = (mean, deviation) -> (long) ((mean + deviation * random.nextGaussian()) * Samples.MILLI);
        judge(folder, "manyAtOnce", "Sixteen at once keep their pace", run(16, 1_000, 64, time), 20);
        judge(folder, "short", "A short run of four", run(4, 12, 32, time), 30);
        judge(folder, "alone", "One at a time", run(1, 80, 16, time), 20);
    }

    static void judge(Path folder, String gate, String name, Measurement measurement, int itlMs) {
        RecordStore.Attempt attempt = Samples.store(folder).start(Samples.gate(gate), name);
        attempt.measured(measurement);
        Samples.judge(
                attempt,
                Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(itlMs))),
                measurement,
                Samples.PASSED);
    }

    /** {@return so many requests, of which the first come one by one, so that they do not go in step} */
    static Measurement run(int concurrency, int requests, int outputTokens, Time time) {
        BatchExample example = new BatchExample(time, outputTokens);
        int next = 0;
        long[] free = new long[concurrency];
        while (next < requests || !example.batch.isEmpty()) {
            if (next < requests && example.batch.size() < concurrency && (next >= concurrency || example.isDue(next))) {
                example.prefill(next, free[next % concurrency]);
                next++;
            } else {
                example.decode(free);
            }
        }
        return Samples.of("Llama-2-7b", concurrency, example.traces, example.steps);
    }

    /** The first ones come one by one. */
    private boolean isDue(int request) {
        return batch.isEmpty() || batch.get(batch.size() - 1).arrivals().size() > 2 + request % 3;
    }

    private void prefill(int request, long start) {
        Active active = new Active(request, start, new ArrayList<>());
        batch.add(active);
        step(EngineStep.Kind.PREFILL, time.of(17, 0.4), List.of(active));
    }

    private void decode(long[] free) {
        step(EngineStep.Kind.DECODE, time.of(4 + 0.3 * batch.size(), 0.1), batch);
        for (Active done :
                batch.stream().filter(a -> a.arrivals().size() == outputTokens).toList()) {
            batch.remove(done);
            traces.add(new TokenTrace(
                    done.request(),
                    PROMPT_TOKENS,
                    outputTokens,
                    done.start(),
                    done.arrivals().stream().mapToLong(Long::longValue).toArray(),
                    Outcome.COMPLETED,
                    null));
            free[done.request() % free.length] = now;
        }
    }

    private void step(EngineStep.Kind kind, long nanos, List<Active> who) {
        long start = now;
        now += nanos;
        who.forEach(a -> a.arrivals().add(now));
        steps.add(new EngineStep(
                kind,
                start,
                now,
                OptionalLong.of(nanos - 150_000),
                who.stream().map(Active::request).toList()));
    }
}
