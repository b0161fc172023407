package io.github.latencybudget.benchmarks;

import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenRecorder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What recording a token costs, beside what reading the clock alone costs. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class TokenRecorderBenchmark {

    private static final int TOKENS = 1024;

    private final TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, TOKENS);

    /** Starts a request, which every invocation does once per 1,024 tokens. */
    @Setup(Level.Invocation)
    public void start() {
        recorder.start(0, 512, TOKENS, true);
    }

    /** Records 1,024 tokens. */
    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public void recordToken() {
        for (int i = 0; i < TOKENS; i++) {
            recorder.token();
        }
    }

    /** Reads the clock 1,024 times: the least that recording can cost. */
    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public long readClock() {
        long sum = 0;
        for (int i = 0; i < TOKENS; i++) {
            sum += NanoClock.SYSTEM.nanos();
        }
        return sum;
    }
}
