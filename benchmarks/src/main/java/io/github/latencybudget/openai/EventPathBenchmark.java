package io.github.latencybudget.openai;

import java.nio.charset.StandardCharsets;
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

/** What an event costs from its bytes to the record of its token: server-sent events, JSON, the chunk's time. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class EventPathBenchmark {

    private static final int EVENTS = 4096;

    private final byte[] event =
            "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" token\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n"
                    .getBytes(StandardCharsets.UTF_8);
    private StreamedAnswer answer = new StreamedAnswer(EVENTS, false);

    /** Begins a stream, which every invocation does once per 4,096 events. */
    @Setup(Level.Invocation)
    public void start() {
        answer = new StreamedAnswer(EVENTS, false);
    }

    /** Reads 4,096 events of one token, each in a read of its own. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public int readEvents() throws AnswerFault {
        for (int i = 0; i < EVENTS; i++) {
            answer.feed(event, 0, event.length, i);
        }
        return answer.chunks().count();
    }
}
